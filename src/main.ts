import closeWithGrace from 'close-with-grace'
import { buildApp } from './app.ts'
import { ConfigError, loadConfig } from './base/config.ts'
import { TrellisError } from './base/errors.ts'
import { createLogger } from './base/log.ts'
import { faultFromEnvironment } from './fault.ts'
import { greeting } from './greeting.ts'

/** Reads the settings, serves, and closes with grace. */
async function main(): Promise<void> {
  const config = loadConfig()
  const log = createLogger(config.log.level)
  const fault = faultFromEnvironment(process.env)
  const app = await buildApp({ config, log, ...(fault && { fault }) })
  closeWithGrace({ delay: 15_000, logger: false }, async ({ err, signal }) => {
    if (err) log.error({ err }, 'stopping after an error')
    else log.info({ signal }, 'stopping')
    await app.close()
  })
  await app.http.listen({ host: config.server.host, port: config.server.port })
  const { port } = app.http.server.address() as { port: number }
  const url = config.server.publicUrl ?? `http://localhost:${port}`
  app.setPublicUrl(url)
  process.stdout.write(greeting(url, config))
}

main().catch((error: unknown) => {
  // What the operator can mend is said plainly; anything else with where it came from.
  const plain = error instanceof ConfigError || error instanceof TrellisError
  process.stderr.write(`${plain ? (error as Error).message : ((error as Error)?.stack ?? String(error))}\n`)
  process.exit(1)
})
