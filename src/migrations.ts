import { fileURLToPath } from 'node:url'

/** The folder that the database's schema is brought up to date from. */
export const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url))
