// Makes the empty database that a first start copies. Plain JavaScript, because an install without the pinned Node runs it
// too; that one leaves the work to the first start, and so does one that fails: an install is good without it.
if (Number(process.versions.node.split('.')[0]) >= 24) await prepare().catch(tell)

async function prepare() {
  const { prepareDatabase } = await import('../src/db/prepare.ts')
  const { MIGRATIONS } = await import('../src/migrations.ts')
  await prepareDatabase(MIGRATIONS)
}

function tell(error) {
  console.error(`No database was prepared: ${error.message}`)
}
