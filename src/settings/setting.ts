import { isAbsolute } from 'node:path'
import { hasPassword, isPostgresUri } from '../core/database-uri.ts'
import { CrmError } from '../core/errors.ts'
import { baseUrlText, parseBaseUrl } from '../core/http-rules.ts'
import {
  invalidSetting,
  parseBoolean,
  parseCommand,
  parseConnectorName,
  parsePageSize,
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
  readonly page_size: number | null
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
  page_size: {
    meaning: 'most records requested per page of a list, 1 to 1000, within the limit of the connector; empty unsets it',
    kind: 'number',
    defaultValue: null,
    parse: (text, field) => (text === '' ? null : parsePageSize(text, field)),
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

/** The name of `page_size` in profiles of earlier versions. */
export const EARLIER_PAGE_SIZE = 'wire.page_size'

/** CrmError `usage` lists the settings when the name is unknown. */
export function parseSettingKey(text: string): SettingKey {
  const name = text === EARLIER_PAGE_SIZE ? 'page_size' : text
  const key = SETTING_KEYS.find((known) => known === name)
  if (key) return key
  throw new CrmError('usage', `there is no setting ${JSON.stringify(text)}, expected ${SETTING_KEYS.join(', ')}`, {
    hint: 'crm config list',
  })
}
