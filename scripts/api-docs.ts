import { writeFileSync } from 'node:fs'
import { apiMarkdown } from '../src/a2a/describe/markdown.ts'
import { OPERATIONS } from '../src/a2a/operations.ts'

// Writes docs/api.md from the operations table.
writeFileSync(new URL('../docs/api.md', import.meta.url), apiMarkdown(OPERATIONS))
