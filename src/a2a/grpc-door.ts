import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'
import { asTrellisError } from './errors.ts'
import { credentialsOf } from './grpc-peer.ts'
import { grpcError } from './grpc-status.ts'
import type { Authenticate, Identity } from './identity.ts'
import { countCall } from './quota.ts'

export interface DoorOptions {
  authenticate: Authenticate
  /** Told of what went wrong on this side, which the caller is not told. */
  onFailure(error: unknown, method: string): void
}

/**
 * Finds out who calls, and counts the call, by the metadata alone. The library begins to read a message once the metadata was let through, so who
 * may not call cannot make us read, unpack or parse one.
 */
export class GrpcDoor {
  readonly #options: DoorOptions
  readonly #admitted = new WeakMap<Metadata, Identity>()

  constructor(options: DoorOptions) {
    this.#options = options
  }

  readonly interceptor: ServerInterceptor = ({ path }, call) => {
    const onReceiveMetadata = (metadata: Metadata, next: (metadata: Metadata) => void) => {
      this.#admit(metadata, call.getPeer()).then(
        () => next(metadata),
        (error) => {
          if (asTrellisError(error).meaning === 'internal') this.#options.onFailure(error, path)
          call.sendStatus(grpcError(error))
        },
      )
    }
    return new ServerInterceptingCall(call, { start: (next) => next({ onReceiveMetadata }) })
  }

  /** Whose call it is that has this metadata. */
  identityOf({ metadata }: { metadata: Metadata }): Identity {
    const identity = this.#admitted.get(metadata)
    if (identity === undefined) throw new Error('A call came in past the door')
    return identity
  }

  async #admit(metadata: Metadata, peer: string): Promise<void> {
    const identity = await this.#options.authenticate(credentialsOf(metadata, peer))
    await countCall(identity)
    this.#admitted.set(metadata, identity)
  }
}
