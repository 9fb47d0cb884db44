/**
 * `waiting` behind an earlier delivery of its record, `pending` until `next_at_ms`, `sending` until then, or for a process
 * that is gone; then `succeeded` or `failed`. Spelt as in the partial indexes, or they would not be used.
 */
export const IS_OPEN = `state IN ('waiting', 'pending', 'sending')`
export const IS_DUE_SOMETIME = `state IN ('pending', 'sending')`
