import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ServerCredentials } from '@grpc/grpc-js'
import { ConfigError } from '../base/config.ts'

/** Files in PEM: the certificate with those it depends on, and its private key. */
export interface TlsFiles {
  cert: string
  key: string
}

/** What the port is opened with. Without files it is open to be read. @throws ConfigError that names the file at fault */
export function grpcCredentials(files: TlsFiles | undefined): ServerCredentials {
  if (files === undefined) return ServerCredentials.createInsecure()
  const chain = readPem(files, 'cert')
  const key = readPem(files, 'key')
  const certificate = parsed(files, 'cert', 'a certificate in PEM', () => new X509Certificate(chain))
  const privateKey = parsed(files, 'key', 'a private key in PEM, without a passphrase', () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey)) throw wrong(files, 'key', "the certificate's private key")
  return ServerCredentials.createSsl(null, [{ cert_chain: chain, private_key: key }])
}

function readPem(files: TlsFiles, which: keyof TlsFiles): Buffer {
  try {
    return readFileSync(files[which])
  } catch (error) {
    throw wrong(files, which, `a file that can be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function parsed<T>(files: TlsFiles, which: keyof TlsFiles, what: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw wrong(files, which, what)
  }
}

function wrong(files: TlsFiles, which: keyof TlsFiles, what: string): ConfigError {
  return new ConfigError([`grpc.tls.${which}: was ${JSON.stringify(files[which])}; must be ${what}`])
}
