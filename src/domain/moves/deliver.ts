import { newId } from '../../base/ids.ts'
import type { ArtifactRow, PlanRow } from '../rows.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { dependentsOf } from './chain.ts'

/**
 * Gives out a completed plan's deliverables as artifacts of its planned task: those of tasks that no task depends on, if
 * no plan depends on the plan. Parts are not copied. (design §3.9)
 */
export function giveDeliverables(w: WorkingCopy, plan: PlanRow): void {
  if (dependentsOf(w, plan).length > 0) return
  const delivered = w.deliverables(plan.id).filter((artifact) => w.task(artifact.taskId).state === 'completed')
  if (delivered.length === 0) return
  const taken = new Set(w.artifactsOf(plan.taskId).map((artifact) => artifact.artifactId))
  for (const artifact of delivered) giveOne(w, plan, artifact, taken)
}

function giveOne(w: WorkingCopy, plan: PlanRow, artifact: ArtifactRow, taken: Set<string>): void {
  const key = newId('artifact')
  const artifactId = taken.has(artifact.artifactId) ? key : artifact.artifactId
  taken.add(artifactId)
  const sourceKey = artifact.sourceKey ?? artifact.key
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
