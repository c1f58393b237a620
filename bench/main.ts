import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { Generator } from './load/generator.ts'
import { measureLoads, measureObjectives, type Results } from './measure.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { ratiosOf, report } from './report.ts'
import { Postgres } from './servers/database.ts'
import { Systems } from './servers/systems.ts'

const RESULTS = new URL('./results/', import.meta.url)

/** Starts everything, measures, prints, writes the results, and ends everything that it started. */
async function main(options: Options): Promise<void> {
  const begun = performance.now()
  const ends: (() => unknown)[] = []
  let ended: Promise<void> | undefined
  const end = () => {
    ended ??= (async () => {
      for (const step of ends.reverse()) await step()
    })()
    return ended
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void end().finally(() => process.exit(1)))
  }
  try {
    const postgres = await Postgres.find()
    if (postgres !== null) ends.push(() => postgres.close())
    const servers = new Systems(options)
    ends.push(() => servers.stop())
    const systems = await servers.start(postgres)
    const generator = new Generator()
    ends.push(() => generator.stop())
    const results: Results = { loads: {}, objectives: {}, errors: [] }
    const settle = async () => postgres?.settle()
    const bench = { systems, generator, options, settle, progress, results }
    await measureLoads(bench)
    await measureObjectives(bench)
    progress('')
    console.log(`${machine(postgres)}\n\n${report(results)}`)
    await writeResults(options, postgres, results)
    console.log(`Took ${Math.round((performance.now() - begun) / 1_000)} s; results in bench/results/latest.json`)
    if (results.errors.length > 0) process.exitCode = 1
  } finally {
    await end()
  }
}

function machine(postgres: Postgres | null): string {
  const database = postgres === null ? 'no Postgres' : `Postgres ${postgres.version} (${postgres.durability})`
  return `${availableParallelism()} cores, Node ${process.versions.node}, ${database}`
}

async function writeResults(options: Options, postgres: Postgres | null, results: Results): Promise<void> {
  await mkdir(RESULTS, { recursive: true })
  const all = { machine: machine(postgres), options, ...results, ratios: ratiosOf(results) }
  await writeFile(new URL('latest.json', RESULTS), `${JSON.stringify(all, null, 2)}\n`)
}

/** What is being measured, on one line that is written over. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (text !== '') process.stderr.write(`${text}\n`)
}

let options: Options | undefined
try {
  if (process.argv.includes('--help')) console.log(USAGE)
  else options = readOptions(process.argv.slice(2))
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`)
  process.exitCode = 2
}
if (options !== undefined) await main(options)
