import { once } from 'node:events'
import { connect } from 'node:net'
import t from '../tap.ts'
import { startDouble } from './start-double.ts'

const OFFER = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n'
const SOCKET = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'

/** Writes the same on one connection so often, each time once the answer to the last one has come. */
async function ask(baseUrl: string, text: string, times: number): Promise<string[]> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  socket.setEncoding('utf8').setTimeout(2_000, () => socket.destroy(new Error('no answer')))
  const answers: string[] = []
  for (let time = 0; time < times; time += 1) {
    socket.write(text)
    answers.push(String((await once(socket, 'data'))[0]))
  }
  socket.destroy()
  return answers
}

t.test('who offers HTTP/2 in passing, as clients of Java do, is answered as ever', async (t) => {
  const { baseUrl } = await startDouble(t)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tasks/get', params: { id: 'none' } })
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\n${OFFER}Content-Type: application/json\r\n`
  const answers = await ask(baseUrl, `${head}Content-Length: ${body.length}\r\n\r\n${body}`, 2)
  for (const answer of answers) t.match(answer, /"id":7,"error":\{"code":-32001/)
})

t.test('an upgrade that nobody takes up leaves no socket that the server would wait for', async (t) => {
  const { baseUrl, app } = await startDouble(t)
  for (const path of ['/healthz', '/nothing', '/tasks/x', '/ws/x']) {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    socket.on('error', () => undefined)
    t.teardown(() => socket.destroy())
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${SOCKET}\r\n`)
    t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 (200|404)/, path)
  }
  const closed = app.close().then(() => 'closed')
  const late = new Promise((resolve) => setTimeout(resolve, 3_000, 'still waits').unref())
  t.equal(await Promise.race([closed, late]), 'closed')
})
