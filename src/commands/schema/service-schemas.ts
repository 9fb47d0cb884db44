import type { Finding } from '../../api/doctor/finding.ts'
import type { JsonSchema } from '../../core/json.ts'
import { RECORD_RESOURCES, RESOURCES } from '../../core/resources/registry.ts'
import {
  ANY_OBJECT,
  arrayOf,
  CODE,
  COUNT,
  made,
  orNull,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
  TRUE_OR_FALSE,
  words,
} from './json-schema.ts'

const CHECK = words<Finding['check']>({
  key: true,
  reach: true,
  tls: true,
  clock: true,
  latency: true,
  records: true,
  paging: true,
  limits: true,
  idempotency: true,
  version: true,
})

/** Of `doctor`. What was `found` depends on the check. */
export const DIAGNOSIS: JsonSchema = made({
  base_url: TEXT,
  profile: TEXT_OR_NULL,
  ok: TRUE_OR_FALSE,
  exit: COUNT,
  checks: arrayOf(
    made({
      check: CHECK,
      state: words<Finding['state']>({ ok: true, warn: true, fail: true, unknown: true }),
      seen: TEXT,
      code: orNull(CODE),
      hint: TEXT_OR_NULL,
      found: ANY_OBJECT,
    }),
  ),
})

export const READY = made({ type: { const: 'ready' }, url: TEXT, database: TEXT })

const KEY = {
  id: TEXT,
  name: TEXT,
  scopes: arrayOf({ enum: ['read', 'write'] }),
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

/** From jobs of this machine, it has no id and does not say which key. */
export const CHANGE = made(
  {
    at: TIME,
    resource: TEXT,
    record_id: TEXT_OR_NULL,
    action: { enum: ['created', 'updated', 'deleted'] },
    fields: arrayOf(TEXT),
    old: orNull(ANY_OBJECT),
    new: orNull(ANY_OBJECT),
    job: TEXT_OR_NULL,
  },
  {
    ...{ id: TEXT, version: COUNT, previous_at: TIME_OR_NULL, key_id: TEXT_OR_NULL, key_name: TEXT_OR_NULL },
    ...{ request_id: TEXT_OR_NULL, is_erased: TRUE_OR_FALSE },
  },
)

export const BACKUP = made({ file: TEXT, database: TEXT, size_bytes: COUNT, started_at: TIME })

export const RESTORED = made({ file: TEXT_OR_NULL, database: TEXT, size_bytes: COUNT })

export const COPIED_TABLE = made({ table: TEXT, rows: COUNT, sha256: TEXT })

/** Each object that a user has described has its count, too. */
export const STATS = {
  ...made({
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
    history_entries: COUNT,
    oldest_history_at: TIME_OR_NULL,
    fixture_runs: COUNT,
    size_bytes: COUNT,
  }),
  additionalProperties: COUNT,
}
