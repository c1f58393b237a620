import { newId } from '../../base/ids.ts'
import type { Artifact } from '../message.ts'
import type { ArtifactRow, TaskRow } from '../rows.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** How a chunk joins what is there. (A2A 1.0 §4.2.2) */
export interface Chunk {
  append: boolean
  lastChunk: boolean
}

/**
 * Adds an artifact to a task, or a chunk to one it has. A chunk adds rows and rewrites none. Sent again without `append`,
 * an artifact is replaced: its earlier parts are out of the range that readers see.
 */
export function appendArtifact(w: WorkingCopy, task: TaskRow, artifact: Artifact, chunk: Chunk): void {
  const known = w.artifactsOf(task.id).find((row) => row.artifactId === artifact.artifactId)
  const append = chunk.append && known !== undefined
  const row = known === undefined ? insertRow(w, task, artifact) : editRow(w, known, artifact, append)
  const from = append ? row.partCount : 0
  const key = row.sourceKey ?? row.key
  for (const [i, part] of artifact.parts.entries()) w.parts.push({ artifactKey: key, n: from + i, part })
  row.partCount = from + artifact.parts.length
  emitChunk(w, task, row, { append, lastChunk: chunk.lastChunk, from, count: artifact.parts.length })
}

function insertRow(w: WorkingCopy, task: TaskRow, artifact: Artifact): ArtifactRow {
  const key = newId('artifact')
  return w.artifacts.insert(key, {
    key,
    contextKey: w.context.key,
    taskId: task.id,
    artifactId: artifact.artifactId,
    name: artifact.name ?? null,
    description: artifact.description ?? null,
    metadata: artifact.metadata ?? null,
    extensions: artifact.extensions ?? null,
    sourceKey: null,
    position: w.context.seq + 1,
    partCount: 0,
  })
}

function editRow(w: WorkingCopy, known: ArtifactRow, artifact: Artifact, append: boolean): ArtifactRow {
  const row = w.artifacts.edit(known.key)
  const { name, description, metadata, extensions } = artifact
  if (append) {
    row.name = name ?? row.name
    row.description = description ?? row.description
    if (metadata !== undefined) row.metadata = { ...row.metadata, ...metadata }
    row.extensions = extensions ?? row.extensions
    return row
  }
  row.name = name ?? null
  row.description = description ?? null
  row.metadata = metadata ?? null
  row.extensions = extensions ?? null
  // Parts of its own, so that earlier events still name the parts they named.
  row.sourceKey = newId('artifact')
  return row
}

function emitChunk(
  w: WorkingCopy,
  task: TaskRow,
  row: ArtifactRow,
  chunk: Chunk & { from: number; count: number },
): void {
  w.emit(
    'task.artifact',
    {
      artifactId: row.artifactId,
      ...(row.name !== null && { name: row.name }),
      ...(row.description !== null && { description: row.description }),
      ...(row.metadata !== null && { metadata: row.metadata }),
      ...(row.extensions !== null && { extensions: row.extensions }),
      ...chunk,
      artifactKey: row.sourceKey ?? row.key,
    },
    { task },
  )
}
