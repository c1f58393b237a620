/**
 * The environment of a process that a test starts. The runner's own would instrument it, which makes its start slower, and
 * a database that the shell names would be used.
 */
export function plainEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, NODE_COMPILE_CACHE, ...more }
}
