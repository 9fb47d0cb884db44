import type { JsonObject } from './json.ts'

/** Whether the delivery was given up, or its last attempt failed. */
export function isFailing({ state, last_status: status, last_error: error }: JsonObject): boolean {
  if (state === 'failed') return true
  if (state === 'succeeded') return false
  return (typeof status === 'number' && (status < 200 || status > 299)) || (error !== null && error !== undefined)
}
