import fc from 'fast-check'

/**
 * Properties are tried with the same values in every run, so that a red build is about the change at hand. FC_SEED=<number>
 * tries others; what that finds becomes an example.
 */
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_122) })
