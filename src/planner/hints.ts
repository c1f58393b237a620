import type { Metadata } from '../domain/message.ts'
import { givenMetadata, isRecord } from './draft-plans.ts'
import type { PlanRequest } from './planner.ts'

/** What a client would like, without insisting. (design §2; OPT extension document, Option C) */
export interface Hints {
  /** Undefined where the client does not say. */
  preferObjective?: boolean
  suggestedName?: string
  /** From `opt/v1/objective`, whether or not it has plans. */
  name?: string
  description?: string
  metadata?: Metadata
}

/**
 * The hints in a request: the message's metadata first, then the request's. A hint never fails a request, so one of the
 * wrong type counts as not given.
 */
export function readHints(request: PlanRequest): Hints {
  const found = given(request, 'opt/v1/objective', isRecord)
  const objective = isRecord(found) ? found : undefined
  const preferObjective = given(request, 'opt/v1/preferObjective', (value) => typeof value === 'boolean')
  const suggestedName = given(request, 'opt/v1/suggestedName', isText)
  return {
    ...(typeof preferObjective === 'boolean' && { preferObjective }),
    ...(isText(suggestedName) && { suggestedName: suggestedName.trim() }),
    ...(isText(objective?.['name']) && { name: objective['name'].trim() }),
    ...(isText(objective?.['description']) && { description: objective['description'] }),
    ...givenMetadata(objective?.['metadata']),
  }
}

/** The first value under the key that passes. */
function given(request: PlanRequest, key: string, passes: (value: unknown) => boolean): unknown {
  return [request.message.metadata?.[key], request.metadata[key]].find(passes)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
