import type { AddressInfo } from 'node:net'
import { AgentCard } from '@a2a-js/sdk'
import { DefaultRequestHandler, InMemoryTaskStore, type TaskStore } from '@a2a-js/sdk/server'
import { DatabaseTaskStore } from '@a2a-js/sdk/server/database'
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import express from 'express'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import agent from './agent.ts'

/** Trellis' own default, so that neither side has more connections. */
const POOL_SIZE = 10

/**
 * The SDK's own server: Express, its JSON-RPC handler, its request handler, and one of its stores. With DATABASE_URL the
 * store is on that Postgres, whose tables are there already. Says where it listens by its one line of output.
 */
function serve(): void {
  const url = process.env['DATABASE_URL']
  const store = url === undefined ? new InMemoryTaskStore() : databaseStore(url)
  const requestHandler = new DefaultRequestHandler(card(), store, agent)
  const app = express()
  const userBuilder = UserBuilder.noAuthentication
  app.use('/', jsonRpcHandler({ requestHandler, userBuilder, legacyCompat: { enabled: true } }))
  const server = app.listen(0, '127.0.0.1', () => {
    console.log(`ready http://localhost:${(server.address() as AddressInfo).port}`)
  })
}

function databaseStore(connectionString: string): TaskStore {
  const pool = new pg.Pool({ connectionString, max: POOL_SIZE })
  return new DatabaseTaskStore(new Kysely({ dialect: new PostgresDialect({ pool }) }))
}

function card(): AgentCard {
  return AgentCard.fromJSON({
    name: 'bench',
    description: 'Does nothing, and says so.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: 'http://localhost/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: 'http://localhost/', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  })
}

process.once('SIGTERM', () => process.exit(0))
serve()
