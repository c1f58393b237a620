import { newId } from '../../base/ids.ts'
import type { ArtifactRow, PlanRow } from '../rows.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { dependentsOf } from './chain.ts'

/**
 * Gives out a completed plan's deliverables as artifacts of its planned task: those of tasks that no task depends on, if
 * no plan depends on the plan. Parts are not copied. (design §3.9)
 */
export function giveDeliverables(w: WorkingCopy, plan: PlanRow): void {
  if (dependentsOf(w, plan).some(({ end }) => end !== 'superseded')) return
  const completed = deliverablesOf(w, plan.id).filter((artifact) => w.task(artifact.taskId).state === 'completed')
  if (completed.length === 0) return
  const there = w.artifactsOf(plan.taskId)
  const taken = new Set(there.map((artifact) => artifact.artifactId))
  const given = new Set(there.map((artifact) => artifact.sourceKey))
  const delivered = completed.filter((artifact) => !given.has(sourceOf(artifact)))
  for (const artifact of delivered) giveOne(w, plan, artifact, taken)
}

/** Gives out what completed plans made for others that a replan has just ended. */
export function giveFreed(w: WorkingCopy, plans: readonly PlanRow[], superseded: readonly string[]): void {
  const completed = plans.filter(({ status }) => status === 'completed')
  w.require(completed.map(({ id }) => ({ kind: 'planDependents', id })))
  const freed = completed.filter((plan) => dependentsOf(w, plan).some(({ id }) => superseded.includes(id)))
  w.require(
    freed.flatMap(({ id, taskId }) => [
      { kind: 'deliverables', id } as const,
      { kind: 'artifacts', id: taskId } as const,
    ]),
  )
  for (const plan of freed) giveDeliverables(w, plan)
}

/** The artifacts of tasks of the plan that no task of it depends on, in the order they came. */
function deliverablesOf(w: WorkingCopy, planId: string): ArtifactRow[] {
  const carried = w.carriedInto(planId).map(({ id }) => id)
  w.require(carried.flatMap((id) => [{ kind: 'dependents', id } as const, { kind: 'artifacts', id } as const]))
  const added = w.artifacts.added(({ taskId }) => isSink(w, taskId, planId))
  const brought = carried.filter((id) => isSink(w, id, planId)).flatMap((id) => w.artifactsOf(id))
  const all = [...w.storedDeliverables(planId), ...brought, ...added]
  return [...new Map(all.map((artifact) => [artifact.key, artifact])).values()].sort((a, b) => a.position - b.position)
}

/** What depended on it in a plan that it was carried out of does not count. */
function isSink(w: WorkingCopy, taskId: string, planId: string): boolean {
  if (w.tasks.get(taskId)?.planId !== planId) return false
  const edges = w.dependents(taskId, 'dependents').filter((edge) => !edge.reference)
  return edges.every((edge) => w.tasks.get(edge.taskId)?.planId !== planId)
}

/** Where its parts are. */
function sourceOf({ sourceKey, key }: ArtifactRow): string {
  return sourceKey ?? key
}

function giveOne(w: WorkingCopy, plan: PlanRow, artifact: ArtifactRow, taken: Set<string>): void {
  const key = newId('artifact')
  const artifactId = taken.has(artifact.artifactId) ? key : artifact.artifactId
  taken.add(artifactId)
  const sourceKey = sourceOf(artifact)
  const given = { ...artifact, key, artifactId, taskId: plan.taskId, sourceKey, position: w.context.seq + 1 }
  w.artifacts.insert(key, given)
  const { name, description, metadata, extensions, partCount } = given
  w.emit(
    'task.artifact',
    {
      artifactId,
      ...(name !== null && { name }),
      ...(description !== null && { description }),
      ...(metadata !== null && { metadata }),
      ...(extensions !== null && { extensions }),
      append: false,
      lastChunk: true,
      artifactKey: sourceKey,
      from: 0,
      count: partCount,
    },
    { task: w.task(plan.taskId) },
  )
}
