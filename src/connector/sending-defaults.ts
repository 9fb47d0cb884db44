/** What holds unless a connector says otherwise. */
export const SENDING_DEFAULTS = { idempotencyHeader: 'Idempotency-Key', windowMs: 1_800_000, lifeMs: 120_000 } as const
