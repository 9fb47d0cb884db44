import type { Finding } from '../../api/doctor/finding.ts'
import { CODE } from './error-schema.ts'
import {
  ANY_OBJECT,
  COUNT,
  type JsonSchema,
  listOf,
  made,
  orNull,
  TEXT,
  TEXT_OR_NULL,
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
  page_size: true,
  paging: true,
  largest_page: true,
  limits: true,
  idempotency: true,
  graphql: true,
  openapi: true,
  version: true,
})

/** Of `doctor`. What was `found` depends on the check. */
export const DIAGNOSIS: JsonSchema = made({
  base_url: TEXT,
  profile: TEXT_OR_NULL,
  ok: TRUE_OR_FALSE,
  exit: COUNT,
  checks: listOf(
    made({
      check: CHECK,
      state: words<Finding['state']>({ ok: true, warn: true, fail: true, unknown: true }),
      seen: TEXT,
      code: orNull(CODE),
      hint: TEXT_OR_NULL,
      found: ANY_OBJECT,
    }),
  ),
  settings: listOf(made({ setting: TEXT, value: TEXT, now: TEXT })),
  written: TRUE_OR_FALSE,
})
