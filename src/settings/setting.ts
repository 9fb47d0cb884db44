import { isAbsolute } from 'node:path'
import { hasPassword, isPostgresUri } from '../core/database-uri.ts'
import { durationText } from '../core/duration.ts'
import { CrmError } from '../core/errors.ts'
import { baseUrlText, parseBaseUrl } from '../core/http-rules.ts'
import { PAGING_KINDS, WIRE_DEFAULTS } from '../core/wire.ts'
import {
  invalidSetting,
  operationsText,
  parseBoolean,
  parseCommand,
  parseConnectorName,
  parseDuration,
  parseGraphqlPath,
  parseHeaderName,
  parseOperations,
  parsePageSize,
  parseParameter,
  parsePath,
  parseVariables,
  variablesText,
} from './setting-values.ts'

/** The type of each setting in the file. */
export interface SettingTypes {
  readonly base_url: string | null
  readonly protected: boolean
  readonly insecure_http: boolean
  readonly key_command: string | null
  readonly serve_database: string | null
  readonly connector: string | null
  readonly connector_vars: string | null
  readonly operations: string | null
  readonly 'wire.page_size': number
  readonly 'wire.idempotency': string
  readonly 'wire.idempotency_header': string
  readonly 'wire.idempotency_window': string
  readonly 'wire.idempotency_scope': string
  readonly 'wire.request_life': string
  readonly 'wire.limit_param': string
  readonly 'wire.paging': string | null
  readonly 'wire.cursor_param': string | null
  readonly 'wire.items_path': string | null
  readonly 'wire.next_path': string | null
  readonly 'wire.graphql_path': string | null
  readonly 'wire.run_marker': string | null
}

export type SettingKey = keyof SettingTypes

export interface SettingRule<Value> {
  readonly meaning: string
  readonly kind: 'string' | 'number' | 'boolean'
  /** Null: no default. */
  readonly defaultValue: Value
  /** Parses text as typed. CrmError `invalid_input` names `field` and the text. */
  parse(text: string, field: string): Value
}

/** All settings of `config get|set|list`. A new setting is a line in SettingTypes and one here. */
export const SETTINGS: { readonly [Key in SettingKey]: SettingRule<SettingTypes[Key]> } = {
  base_url: {
    meaning: 'address of the server',
    kind: 'string',
    defaultValue: null,
    parse: (text, field) => baseUrlText(parseBaseUrl(text, field)),
  },
  protected: {
    meaning: 'protects the server: deletes require typing the count, fixtures refuse to run',
    kind: 'boolean',
    defaultValue: false,
    parse: parseBoolean,
  },
  insecure_http: {
    meaning: 'accepts plain http beyond this machine',
    kind: 'boolean',
    defaultValue: false,
    parse: parseBoolean,
  },
  key_command: {
    meaning: 'command that prints the key, run without a shell, such as pass show crm; empty unsets it',
    kind: 'string',
    defaultValue: null,
    parse: parseCommand,
  },
  serve_database: {
    meaning: 'last database of crm serve at this address, for hints; empty unsets it',
    kind: 'string',
    defaultValue: null,
    parse: (text, field) => {
      if (text === '' || isAbsolute(text) || (isPostgresUri(text) && !hasPassword(text))) return text || null
      throw invalidSetting(field, text, 'the absolute path of a file, or postgres://... without a password')
    },
  },
  connector: {
    meaning: 'how the server speaks: the name of a shipped connector or the absolute path of a file; empty unsets it',
    kind: 'string',
    defaultValue: null,
    parse: parseConnectorName,
  },
  connector_vars: {
    meaning: 'variables of the connector, such as company=acme; empty unsets it',
    kind: 'string',
    defaultValue: null,
    parse: (text, field) => (text === '' ? null : variablesText(parseVariables(text, field))),
  },
  operations: {
    meaning: 'requests beyond the contract that the OpenAPI document of the server names, or none; empty: not read yet',
    kind: 'string',
    defaultValue: null,
    parse: (text, field) => (text === '' ? null : operationsText(parseOperations(text, field))),
  },
  'wire.page_size': {
    meaning: 'records requested per page of a list, 1 to 1000',
    kind: 'number',
    defaultValue: WIRE_DEFAULTS.pageSize,
    parse: parsePageSize,
  },
  'wire.idempotency': {
    meaning: 'whether the server supports idempotency keys: kept, none, or unknown until detected',
    kind: 'string',
    defaultValue: 'unknown',
    parse: (text, field) => {
      if (text === 'kept' || text === 'none' || text === 'unknown') return text
      throw invalidSetting(field, text, 'kept, none or unknown')
    },
  },
  'wire.idempotency_header': {
    meaning: 'name of the header that makes a repeated write take effect once',
    kind: 'string',
    defaultValue: WIRE_DEFAULTS.idempotencyHeader,
    parse: parseHeaderName,
  },
  'wire.idempotency_window': {
    meaning: 'how long the server keeps such a key; later, bulk jobs look records up first',
    kind: 'string',
    defaultValue: durationText(WIRE_DEFAULTS.idempotencyWindowMs),
    parse: parseDuration,
  },
  'wire.idempotency_scope': {
    meaning: 'whether idempotency keys belong to the account or to one API key: account or key',
    kind: 'string',
    defaultValue: 'key',
    parse: (text, field) => {
      if (text === 'account' || text === 'key') return text
      throw invalidSetting(field, text, 'account or key')
    },
  },
  'wire.request_life': {
    meaning: 'longest time after which a request without an answer may still take effect',
    kind: 'string',
    defaultValue: '2m',
    parse: parseDuration,
  },
  'wire.limit_param': {
    meaning: 'query parameter for the size of a page; none sends no size',
    kind: 'string',
    defaultValue: WIRE_DEFAULTS.limitParam,
    parse: parseParameter,
  },
  'wire.paging': {
    meaning: `paging of lists: ${PAGING_KINDS.join(', ')} (single response); detected unless set, empty unsets it`,
    kind: 'string',
    defaultValue: null,
    parse: (text, field) => {
      if (text === '' || PAGING_KINDS.some((kind) => kind === text)) return text || null
      throw invalidSetting(field, text, PAGING_KINDS.join(', '))
    },
  },
  'wire.cursor_param': {
    meaning: 'query parameter of the cursor or page number; detected unless set, empty unsets it',
    kind: 'string',
    defaultValue: null,
    parse: (text, field) => (text === '' ? null : parseParameter(text, field)),
  },
  'wire.items_path': {
    meaning: 'path of the records in a page, such as data.contacts; detected unless set, empty unsets it',
    kind: 'string',
    defaultValue: null,
    parse: parsePath,
  },
  'wire.next_path': {
    meaning: 'path of the next cursor or address in a page, such as meta.next; detected unless set, empty unsets it',
    kind: 'string',
    defaultValue: null,
    parse: parsePath,
  },
  'wire.graphql_path': {
    meaning: 'path of GraphQL, or none; searched at /v1/graphql and /graphql unless set, empty unsets it',
    kind: 'string',
    defaultValue: null,
    parse: parseGraphqlPath,
  },
  'wire.run_marker': {
    meaning:
      'member of records in which fixtures state their run, where the server keeps no states of runs; empty unsets it',
    kind: 'string',
    defaultValue: null,
    parse: (text, field) => {
      if (text === '' || /^[A-Za-z_]\w{0,63}$/.test(text)) return text || null
      throw invalidSetting(field, text, 'the name of a member, such as crm_run')
    },
  },
}

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[]

export interface SettingValue {
  readonly key: SettingKey
  /** Null: not set and no default. */
  readonly value: string | number | boolean | null
  readonly isDefault: boolean
  readonly meaning: string
}

/** CrmError `usage` lists the settings when the name is unknown. */
export function parseSettingKey(text: string): SettingKey {
  const key = SETTING_KEYS.find((known) => known === text)
  if (key) return key
  throw new CrmError('usage', `there is no setting ${JSON.stringify(text)}, expected ${SETTING_KEYS.join(', ')}`, {
    hint: 'crm config list',
  })
}
