import { Ajv } from 'ajv'
import { ConfigSchema } from '../../src/base/config-schema.ts'
import { ArtifactShape, MessageShape } from '../../src/executors/a2a-bounds.ts'
import { CardSchema } from '../../src/executors/a2a-card.ts'
import { MemoSchema } from '../../src/executors/a2a-memo.ts'
import { EventSchema } from '../../src/executors/check-event.ts'
import { PlansSchema } from '../../src/planner/plan-schema.ts'
import { PlaybookSchema } from '../../src/planner/playbook-schema.ts'
import t from '../tap.ts'

/** Those that are compiled without being checked themselves. (src/base/schema-check.ts) */
const SCHEMAS = {
  ...{ ConfigSchema, PlansSchema, PlaybookSchema },
  ...{ ArtifactShape, MessageShape, CardSchema, MemoSchema, EventSchema },
}

t.test('schemas are JSON Schema', async (t) => {
  const ajv = new Ajv()
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    ajv.validateSchema(schema)
    t.same(ajv.errors ?? [], [], name)
  }
})
