import closeWithGrace from 'close-with-grace'
import { buildApp } from './app.ts'
import { ConfigError, loadConfig } from './base/config.ts'
import { TrellisError } from './base/errors.ts'
import { createLogger } from './base/log.ts'
import { faultFromEnvironment } from './fault.ts'
import { greeting } from './greeting.ts'

/** Reads the settings, serves, and closes with grace. What keeps it from that ends the process, and is said. */
export function serve(env: NodeJS.ProcessEnv): Promise<void> {
  return start(env).catch((error: unknown) => {
    // What the operator can mend is said plainly; anything else with where it came from.
    process.stderr.write(`${plainText(error) ?? (error as Error)?.stack ?? String(error)}\n`)
    process.exit(1)
  })
}

async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env)
  const log = createLogger(config.log.level)
  const fault = faultFromEnvironment(env)
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
  process.stdout.write(greeting(url, config, await app.grpc?.listen()))
}

function plainText(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof TrellisError) return error.message
  const { code, address, port } = (error ?? {}) as { code?: string; address?: string; port?: number }
  if (code === 'EADDRINUSE')
    return `Another program listens on ${address}:${port}. Stop that one, or name another port with PORT.`
  if (code === 'EACCES' && port !== undefined)
    return `This user may not listen on port ${port}. Name another with PORT.`
  return undefined
}
