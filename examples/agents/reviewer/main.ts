import { readOptions } from '../options.ts'
import { type AgentProfile, runAgent } from '../serve.ts'
import { reviewWork } from './review.ts'

export const REVIEWER: AgentProfile = {
  name: 'reviewer',
  description: 'Checks that every citation of a text resolves and that its length fits, and says what is wrong.',
  skills: [
    {
      id: 'review',
      name: 'Review',
      description: 'Reviews a cited text: whether each citation resolves to words that stand there, and the length.',
      tags: ['review', 'check', 'verify', 'proofread', 'citations', 'quality'],
      examples: ['Review the summary', 'Check the citations', 'Verify that every source says so'],
    },
  ],
  protocolVersion: '0.3',
  transport: 'JSONRPC',
  streaming: false,
}

if (import.meta.main) {
  const options = readOptions()
  await runAgent(REVIEWER, reviewWork(options.folder), options)
}
