/** JSON of Protocol Buffers may write an enum's value as its number. What is no number of the enum stays as it is. (A2A 1.0 §5.5) */

const ROLES = ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT']

/** The same in both versions, but for the spelling of 0.3's `CANCELLED`. */
const STATES = [
  'TASK_STATE_UNSPECIFIED',
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
]

export function roleNamed(given: unknown): unknown {
  return typeof given === 'number' ? (ROLES[given] ?? given) : given
}

/** In a query a number is text. */
export function stateNamed(given: unknown): unknown {
  const number = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : given
  return typeof number === 'number' ? (STATES[number] ?? given) : given
}
