/**
 * For crash tests: TRELLIS_FAULT=point kills this process, as if by `kill -9`, the first time it comes to that point;
 * `point#N` the N-th time. A parent that started it with an IPC channel may send another point later, which counts from
 * then on; when the parent is gone, this process goes, too. Undefined, and free of cost, when TRELLIS_FAULT is not set.
 */
export function faultFromEnvironment(env: NodeJS.ProcessEnv): ((point: string) => void) | undefined {
  const setting = env['TRELLIS_FAULT']
  if (setting === undefined || setting === '') return undefined
  let armed = armAt(setting)
  process.on('message', (later) => {
    armed = armAt(String(later))
  })
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel?.unref()
  return (point) => {
    if (point !== armed.point) return
    armed.left -= 1
    if (armed.left === 0) process.kill(process.pid, 'SIGKILL')
  }
}

function armAt(setting: string): { point: string; left: number } {
  const [, point = '', count = '1'] = /^(.*?)(?:#(\d+))?$/.exec(setting) ?? []
  return { point, left: Number(count) }
}
