import { RECORD_RESOURCES, RESOURCES } from '../../core/resources/registry.ts'
import { COUNT, type JsonSchema, listOf, made, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from './json-schema.ts'

export const READY = made({ type: { const: 'ready' }, url: TEXT, database: TEXT })

const KEY = {
  id: TEXT,
  name: TEXT,
  scopes: listOf({ enum: ['read', 'write'] }),
  rate: TEXT_OR_NULL,
  last_four: TEXT,
  state: { enum: ['live', 'expired', 'revoked'] },
  last_used_at: TIME_OR_NULL,
  created_at: TIME_OR_NULL,
  expires_at: TIME_OR_NULL,
  revoked_at: TIME_OR_NULL,
} satisfies Record<string, JsonSchema>

export const SERVICE_KEY = made(KEY)

/** With the key itself, which is shown this once. */
export const NEW_SERVICE_KEY = made({ ...KEY, key: TEXT })

export const KEY_USE = made({
  hour: TIME,
  key_id: TEXT,
  key_name: TEXT_OR_NULL,
  action: TEXT,
  count: COUNT,
  refused: COUNT,
  last_at: TIME,
  last_address: TEXT,
})

export const BACKUP = made({ file: TEXT, database: TEXT, size_bytes: COUNT, started_at: TIME })

export const STATS = made({
  ...Object.fromEntries(RECORD_RESOURCES.map((name) => [RESOURCES[name].plural, COUNT])),
  pipelines: COUNT,
  webhooks_enabled: COUNT,
  webhooks_disabled: COUNT,
  keys_live: COUNT,
  deliveries_open: COUNT,
  deliveries_failing: COUNT,
  oldest_open_event_at: TIME_OR_NULL,
  requests_last_day: COUNT,
  refused_last_day: COUNT,
  idempotency_keys: COUNT,
  size_bytes: COUNT,
})
