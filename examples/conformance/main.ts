import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import closeWithGrace from 'close-with-grace'
import { type App, buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/base/config.ts'
import { createLogger } from '../../src/base/log.ts'
import { conformanceSettings } from './settings.ts'

// npm run conformance: a server for conformance suites to test. (docs/conformance.md)

/** Serves until it is told to end, and leaves nothing behind but what went into the Postgres of DATABASE_URL. */
async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-conformance-'))
  const parts: { app?: App } = {}
  const leave = async () => {
    await parts.app?.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    parts.app = await start(folder)
    closeWithGrace({ delay: 15_000, logger: false }, async ({ err }) => {
      if (err) process.stderr.write(`${err.stack}\n`)
      await leave()
    })
  } catch (error) {
    await leave()
    throw error
  }
}

async function start(folder: string): Promise<App> {
  const settings = JSON.stringify(conformanceSettings(process.env, folder))
  // JSON is YAML. A data folder that the shell names is left alone.
  const env = { ...process.env, DATA_DIR: '', TRELLIS_CONFIG: 'examples/conformance/settings.ts' }
  const config = loadConfig(env, () => settings)
  const app = await buildApp({ config, log: createLogger(config.log.level) })
  try {
    await app.http.listen({ host: config.server.host, port: config.server.port })
    const { port } = app.http.server.address() as AddressInfo
    const url = config.server.publicUrl ?? `http://localhost:${port}`
    app.setPublicUrl(url)
    const grpc = await app.grpc?.listen()
    process.stdout.write(`ready ${url}${grpc === undefined ? '' : ` grpc ${grpc}`}\n`)
    return app
  } catch (error) {
    await app.close()
    throw error
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
})
