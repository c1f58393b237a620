import { keepCompiledCode } from './compiled-code.ts'

keepCompiledCode()
// Imported only now, so that it is found compiled.
const { serve } = await import('./serve.ts')
await serve(process.env)
