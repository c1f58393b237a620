import type { TransportFactory } from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import { credentials, InterceptingCall, type Interceptor, type Metadata, status } from '@grpc/grpc-js'
import { type BoundedFetchOptions, sameHost } from './a2a-fetch.ts'

/** The SDK's transport to one address, bounded. */
export function grpcTransport(
  options: BoundedFetchOptions,
  { url, secure }: { url: URL; secure: boolean },
): TransportFactory {
  const own = sameHost(url, new URL(options.agent.url))
  return new GrpcTransportFactory({
    grpcChannelCredentials: secure ? credentials.createSsl() : credentials.createInsecure(),
    // Configured headers may be credentials: they go to the configured host only.
    grpcCallOptions: { interceptors: [bounds(options, own ? options.headers : {})] },
    legacyCompat: { enabled: true },
  })
}

/**
 * Ends a call that is silent too long. How much one message may bring is the library's to bound (4 MiB), and what is kept of
 * them all is RemoteBounds'.
 */
function bounds(
  { timeoutMs, idleTimeoutMs }: BoundedFetchOptions,
  headers: Readonly<Record<string, string>>,
): Interceptor {
  return (callOptions, nextCall) => {
    const { responseStream } = callOptions.method_definition
    let timer: NodeJS.Timeout | undefined
    const arm = (ms: number, what: string) => {
      clearTimeout(timer)
      timer = setTimeout(() => call.cancelWithStatus(status.DEADLINE_EXCEEDED, what), ms).unref()
    }
    const idle = () => {
      if (responseStream) arm(idleTimeoutMs, `sent nothing on its stream for ${idleTimeoutMs / 1000} s`)
    }
    const call: InterceptingCall = new InterceptingCall(nextCall(callOptions), {
      start: (metadata, _listener, next) => {
        add(headers, metadata)
        arm(timeoutMs, `did not answer within ${timeoutMs / 1000} s`)
        next(metadata, {
          onReceiveMetadata: (received, pass) => {
            idle()
            pass(received)
          },
          onReceiveMessage: (message, pass) => {
            idle()
            pass(message)
          },
          onReceiveStatus: (ended, pass) => {
            clearTimeout(timer)
            pass(ended)
          },
        })
      },
    })
    return call
  }
}

function add(headers: Readonly<Record<string, string>>, metadata: Metadata): void {
  for (const [name, value] of Object.entries(headers)) metadata.set(name.toLowerCase(), value)
}
