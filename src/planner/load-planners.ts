import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TrellisError } from '../base/errors.ts'
import type { Planner } from './planner.ts'

/** Planners of one's own: each path names a module whose default export is a Planner. */
export function loadPlanners(paths: readonly string[]): Promise<Planner[]> {
  return Promise.all(paths.map(loadPlanner))
}

async function loadPlanner(path: string): Promise<Planner> {
  const module = (await import(pathToFileURL(resolve(path)).href).catch((cause: unknown) => {
    throw new TrellisError('invalidParams', `planner.modules: ${path} cannot be loaded: ${(cause as Error).message}`, {
      cause,
    })
  })) as { default?: unknown }
  if (isPlanner(module.default)) return module.default
  throw new TrellisError(
    'invalidParams',
    `planner.modules: ${path} has no planner as its default export; must be { name: string, io: boolean, plan(request, signal) }`,
  )
}

function isPlanner(value: unknown): value is Planner {
  const { name, io, plan } = (value ?? {}) as Partial<Planner>
  return typeof name === 'string' && typeof io === 'boolean' && typeof plan === 'function'
}
