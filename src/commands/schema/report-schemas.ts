import type { JsonSchema } from '../../core/json.ts'
import { COUNT, made, TEXT, TEXT_OR_NULL } from './json-schema.ts'

const NUMBER: JsonSchema = { type: 'number' }

const NUMBER_OR_NULL: JsonSchema = { type: ['number', 'null'] }

export const PIPELINE_REPORT_ROW = made({
  pipeline_id: TEXT_OR_NULL,
  stage: TEXT_OR_NULL,
  deals: COUNT,
  amount: NUMBER,
  probability: NUMBER_OR_NULL,
  weighted: NUMBER_OR_NULL,
})

export const OWNER_REPORT_ROW = made({
  owner_id: TEXT_OR_NULL,
  deals: COUNT,
  amount: NUMBER,
  open: COUNT,
  open_amount: NUMBER,
  won: COUNT,
  won_amount: NUMBER,
  last_change: TEXT_OR_NULL,
})

const DAY: JsonSchema = { ...TEXT, pattern: '^\\d{4}-\\d\\d-\\d\\d$' }

/** The member of the period is named after `--by`; those of a resource are absent if the server does not list it. */
export const ACTIVITY_REPORT_ROW = made(
  {},
  {
    ...{ day: DAY, week: DAY, month: DAY },
    ...{ contacts_created: COUNT, contacts_changed: COUNT, deals_created: COUNT, deals_changed: COUNT },
  },
)
