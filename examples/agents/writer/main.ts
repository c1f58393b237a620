import { readOptions } from '../options.ts'
import { type AgentProfile, runAgent } from '../serve.ts'
import { writeSummary } from './summary.ts'

export const WRITER: AgentProfile = {
  name: 'writer',
  description: 'Writes a cited Markdown summary from the findings that it is given, in the sources’ own words.',
  skills: [
    {
      id: 'write',
      name: 'Write',
      description: 'Writes a summary or report in Markdown from findings, with a citation for every sentence.',
      tags: ['write', 'summarize', 'summary', 'report', 'draft', 'compose', 'markdown'],
      examples: ['Write a cited summary in at most 300 words', 'Summarize findings', 'Draft a report'],
    },
  ],
  protocolVersion: '1.0',
  transport: 'HTTP+JSON',
  streaming: true,
}

if (import.meta.main) await runAgent(WRITER, writeSummary, readOptions())
