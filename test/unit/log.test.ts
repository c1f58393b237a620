import t from 'tap'
import { createLogger } from '../../src/base/log.ts'

function linesOf(level: string, write: (log: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = []
  write(createLogger(level, { write: (line: string) => void lines.push(line) }))
  return lines
}

t.test('a line is JSON with its level by name and an ISO time', async (t) => {
  const [line = ''] = linesOf('info', (log) => log.info({ taskId: 'task-1' }, 'claimed'))
  t.match(JSON.parse(line), { level: 'info', taskId: 'task-1', msg: 'claimed', time: /^\d{4}-.*Z$/ })
})

t.test('below its level nothing is written', async (t) => {
  t.same(
    linesOf('warn', (log) => log.info('quiet')),
    [],
  )
})

t.test('secrets are not written', async (t) => {
  const lines = linesOf('info', (log) => {
    log.info({ databaseUrl: 'postgres://u:hush@h/d', headers: { authorization: 'Bearer hush' } })
    log.info({
      req: { headers: { authorization: 'hush', 'x-api-key': 'hush', cookie: 'hush' } },
      push: { token: 'hush' },
    })
  })
  t.equal(lines.length, 2)
  t.notMatch(lines.join(''), 'hush')
})
