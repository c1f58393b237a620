import { keepCompiledCode } from './compiled-code.ts'

keepCompiledCode()
// Imported only now, so that it is found compiled.
const { runCommand } = await import('./cli-command.ts')
const code = await runCommand(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
// The embedded database leaves something that would keep the process.
process.exit(code)
