import { isObject, withoutBlanks } from './wire-in.ts'

/** A contextId is an objective's id, so it does for one in params too. */
export const contextAs = (name: 'id' | 'objectiveId') => (params: unknown) => {
  withoutBlanks(params)
  if (!isObject(params)) return params
  const { contextId } = params
  const other = name === 'id' ? params['objectiveId'] : params['id']
  return { [name]: contextId ?? other, ...params }
}
