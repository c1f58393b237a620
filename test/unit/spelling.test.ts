import { Type } from 'typebox'
import { readQuery } from '../../src/a2a/query.ts'
import { inCamelCase } from '../../src/a2a/spelling.ts'
import t from '../tap.ts'

t.test('fields of the protocol are renamed, and what is in metadata and data is not', async (t) => {
  const given = {
    message: { message_id: 'm', parts: [{ data: { a_b: 1 }, media_type: 'x/y' }], metadata: { c_d: { e_f: 2 } } },
    reference_task_ids: ['a_b'],
  }
  t.strictSame(inCamelCase(given), {
    message: { messageId: 'm', parts: [{ data: { a_b: 1 }, mediaType: 'x/y' }], metadata: { c_d: { e_f: 2 } } },
    referenceTaskIds: ['a_b'],
  })
  t.strictSame(inCamelCase({ task_id: 'snake', taskId: 'camel' }), { taskId: 'camel' })
  t.strictSame(inCamelCase({ _private: 1, trailing_: 2, 'opt/v1/task_id': 3 }), {
    _private: 1,
    trailing_: 2,
    'opt/v1/taskId': 3,
  })
})

t.test('a query has the types of its schema', async (t) => {
  const schema = Type.Object({
    pageSize: Type.Optional(Type.Integer()),
    includeArtifacts: Type.Optional(Type.Boolean()),
    contextId: Type.Optional(Type.String()),
  })
  const read = (query: Record<string, unknown>) => readQuery(query, schema)
  t.strictSame(read({ page_size: '5', includeArtifacts: 'false', context_id: '7', unknown: '1' }), {
    pageSize: 5,
    includeArtifacts: false,
    contextId: '7',
  })
  t.strictSame(read({ pageSize: '5e3', includeArtifacts: 'yes' }), { pageSize: '5e3', includeArtifacts: 'yes' })
  t.strictSame(read({ __proto__: 'x', constructor: 'y' }), {})
})
