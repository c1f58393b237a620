import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

// Runs before the tests: tap has to be built with the plugins of .taprc once after each install, or its first run fails.
// The mark lies in node_modules, so that it goes when an install puts a fresh tap there.

const MARK = 'node_modules/.tap-built'
const inputs = ['.taprc', 'node_modules/tap/package.json'].map((file) => readFileSync(file, 'utf8'))
const wanted = createHash('sha256').update(inputs.join('\0')).digest('hex')

if (!existsSync(MARK) || readFileSync(MARK, 'utf8') !== wanted) {
  execFileSync('node_modules/.bin/tap', ['build'], { stdio: ['ignore', 'ignore', 'inherit'] })
  writeFileSync(MARK, wanted)
}
