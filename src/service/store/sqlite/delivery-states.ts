/**
 * `waiting` for an earlier delivery of its record, `pending` until `next_at_ms`, `sending` until the claim ends at
 * `next_at_ms`; then `succeeded` or `failed`. The text must equal that of the partial indexes, or they are not used.
 */
export const IS_OPEN = `state IN ('waiting', 'pending', 'sending')`
export const IS_DUE_SOMETIME = `state IN ('pending', 'sending')`
