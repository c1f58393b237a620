/**
 * For crash tests: TRELLIS_FAULT=point kills this process, as if by `kill -9`, the first time it comes to that point;
 * `point#N` the N-th time. Undefined, and free of cost, when it is not set.
 */
export function faultFromEnvironment(env: NodeJS.ProcessEnv): ((point: string) => void) | undefined {
  const setting = env['TRELLIS_FAULT']
  if (setting === undefined || setting === '') return undefined
  const [, name, count] = /^(.*?)(?:#(\d+))?$/.exec(setting) as unknown as [string, string, string | undefined]
  let left = Number(count ?? 1)
  return (point) => {
    if (point !== name) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
