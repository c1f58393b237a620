import { runFolder } from './tap.ts'

runFolder(`${import.meta.dirname}/fuzz`)
