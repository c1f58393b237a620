import { statSync } from 'node:fs'
import { readOptions } from '../options.ts'
import { type AgentProfile, runAgent } from '../serve.ts'
import { indexFolder, researchWork } from './research.ts'

export const RESEARCHER: AgentProfile = {
  name: 'researcher',
  description: 'Searches a folder of documents and hands on what it finds, with file and line.',
  skills: [
    {
      id: 'research',
      name: 'Research',
      description: 'Searches documents for what they say about a topic and gathers findings with their sources.',
      tags: ['research', 'search', 'find', 'investigate', 'gather', 'documents', 'papers', 'sources'],
      examples: [
        'Research how these packages handle streams',
        'Search papers',
        'Find out what the documents say about retries',
      ],
    },
  ],
  protocolVersion: '1.0',
  transport: 'JSONRPC',
  streaming: true,
}

if (import.meta.main) {
  const options = readOptions()
  if (!statSync(options.folder, { throwIfNoEntry: false })?.isDirectory()) {
    console.error(`--folder was ${JSON.stringify(options.folder)}; must be a folder of .md and .txt files`)
    process.exit(2)
  }
  await runAgent(RESEARCHER, researchWork(indexFolder(options.folder)), options)
}
