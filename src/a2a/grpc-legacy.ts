import { AgentCard } from '@a2a-js/sdk'
import { LegacyA2AService as codecs, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import { UserBuilder } from '@a2a-js/sdk/server/grpc'
import { Metadata } from '@grpc/grpc-js'
import * as read from './grpc-legacy-read.ts'
import * as write from './grpc-legacy-write.ts'
import { type GrpcMethod, type GrpcService, method } from './grpc-method.ts'

/** `a2a.v1.A2AService`, as 0.3 has it. It has no list of tasks. (0.3 §3.2.2) */
export const LEGACY_SERVICE: GrpcService = {
  version: '0.3',
  methods: [
    method('message/send', codecs.sendMessage, read.readSend, write.writeSent),
    method('message/stream', codecs.sendStreamingMessage, read.readSend, write.writeFrame),
    method('tasks/get', codecs.getTask, read.readGet, write.writeTask),
    method('tasks/cancel', codecs.cancelTask, read.readTaskName, write.writeTask),
    method('tasks/resubscribe', codecs.taskSubscription, read.readTaskName, write.writeFrame),
    method(
      'tasks/pushNotificationConfig/set',
      codecs.createTaskPushNotificationConfig,
      read.readCreateConfig,
      write.writeConfig,
    ),
    method(
      'tasks/pushNotificationConfig/get',
      codecs.getTaskPushNotificationConfig,
      read.readConfigName,
      write.writeConfig,
    ),
    method(
      'tasks/pushNotificationConfig/list',
      codecs.listTaskPushNotificationConfig,
      read.readParent,
      write.writeConfigs,
    ),
    method(
      'tasks/pushNotificationConfig/delete',
      codecs.deleteTaskPushNotificationConfig,
      read.readConfigName,
      () => ({}),
    ),
    card(),
  ],
}

type LegacyCard = Parameters<typeof codecs.getAgentCard.responseSerialize>[0]

/** The extended card where there is one; the server answers with the public one where there is not. */
function card(): GrpcMethod {
  return {
    path: codecs.getAgentCard.path,
    operation: 'agent/getAuthenticatedExtendedCard',
    streams: false,
    read: () => ({}),
    write: async (result) => codecs.getAgentCard.responseSerialize(await legacyCard(AgentCard.fromJSON(result))),
  }
}

/** The SDK knows how a card is written, but only its service does that: so it is asked for this one card. */
function legacyCard(card: AgentCard): Promise<LegacyCard> {
  const requestHandler = {
    getAgentCard: async () => card,
    getAuthenticatedExtendedAgentCard: async () => card,
  } as unknown as A2ARequestHandler
  const { getAgentCard } = legacyGrpcService({ requestHandler, userBuilder: UserBuilder.noAuthentication })
  const call = { request: {}, metadata: new Metadata(), sendMetadata: () => undefined }
  return new Promise((resolve, reject) => {
    getAgentCard(call as unknown as Parameters<typeof getAgentCard>[0], (error, answer) => {
      if (error || !answer) reject(error ?? new Error('no card'))
      else resolve(answer)
    })
  })
}
