import { startServer } from '../integration/server.ts'
import t from '../tap.ts'
import type { Server } from './rpc.ts'
import { card } from './scenarios/card.ts'
import { clients } from './scenarios/clients.ts'
import { documents } from './scenarios/documents.ts'
import { framing } from './scenarios/framing.ts'
import { inputs } from './scenarios/inputs.ts'
import { opt } from './scenarios/opt.ts'
import { rest } from './scenarios/rest.ts'
import { sockets } from './scenarios/sockets.ts'
import { streams } from './scenarios/streams.ts'
import { versions } from './scenarios/versions.ts'

const scenarios = { card, clients, documents, framing, inputs, opt, rest, sockets, streams, versions }

/** What holds over the double holds over the whole server, too: as it comes, with the built-in agent. */
t.test('the real server', async (t) => {
  const server: Server = await startServer(t, { config: { limits: {}, push: { enabled: false } }, agents: [] })
  for (const [name, scenario] of Object.entries(scenarios)) await t.test(name, (t) => scenario(t, server))
})
