import { DEFAULT_CONNECTOR } from '../core/default-connector.ts'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { damaged, isOfCrmServe, replaceIn, withoutEarlier } from './document.ts'
import {
  EARLIER_PAGE_SIZE,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type SettingTypes,
  type SettingValue,
} from './setting.ts'
import { parseVariables, variablesText } from './setting-values.ts'

export interface Profile {
  /** Undefined only where the file was edited by hand. */
  readonly baseUrl: string | undefined
  readonly isProtected: boolean
  /** Plain http is accepted beyond loopback. */
  readonly allowsInsecureHttp: boolean
  /** A command line whose first line of output is the key. */
  readonly keyCommand: string | undefined
  /** The last database of `crm serve` at this address. */
  readonly serveDatabase: string | undefined
  /** A shipped connector or an absolute path; undefined: nothing is known of the server. */
  readonly connector: string | undefined
  readonly connectorVariables: Readonly<Record<string, string>>
  /** What the file of the connector would hold, if it could be written. */
  readonly connectorText?: string | undefined
  /** The most records that are requested per page; undefined: as many as the connector says. */
  readonly pageSize: number | undefined
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** CrmError `usage` for an invalid profile name. */
export function checkProfileName(name: string): string {
  if (NAME.test(name)) return name
  throw new CrmError('usage', `${JSON.stringify(name)} is not a valid profile name`, {
    hint: 'expected at most 64 letters, digits, dots, dashes and underscores, starting with a letter or digit',
  })
}

/** A profile with this address and defaults for all other settings. */
export function defaultProfile(baseUrl: string): Profile {
  return profileOf((key) => (key === 'base_url' ? baseUrl : SETTINGS[key].defaultValue))
}

/** CrmError `invalid_input` when a member of the file is not valid for its setting. */
export function readProfile(stored: JsonObject, name: string, path: string): Profile {
  const profile = profileOf((key) => readSetting(stored, key, name, path) ?? SETTINGS[key].defaultValue)
  return profile.connector === undefined && isOfCrmServe(stored)
    ? { ...profile, connector: DEFAULT_CONNECTOR }
    : profile
}

function settingsOf(profile: Profile): SettingTypes {
  return {
    base_url: profile.baseUrl ?? null,
    protected: profile.isProtected,
    insecure_http: profile.allowsInsecureHttp,
    key_command: profile.keyCommand ?? null,
    serve_database: profile.serveDatabase ?? null,
    connector: profile.connector ?? null,
    connector_vars: variablesText(profile.connectorVariables),
    page_size: profile.pageSize ?? null,
  }
}

/** The stored form, validated. Defaults are left out, so that a changed default applies. */
export function writeProfile(stored: JsonObject, profile: Profile): JsonObject {
  const values = settingsOf(profile)
  return SETTING_KEYS.reduce((written, key) => {
    const { parse, defaultValue } = SETTINGS[key]
    const value = values[key] === null ? null : parse(String(values[key]), key)
    return replaceIn(written, [key], value === defaultValue ? undefined : (value ?? undefined))
  }, withoutEarlier(stored))
}

/** The settings as shown by `config list`. */
export function listValues(profile: Profile): readonly SettingValue[] {
  const values = settingsOf(profile)
  return SETTING_KEYS.map((key) => {
    const { defaultValue, meaning } = SETTINGS[key]
    return { key, value: values[key], isDefault: values[key] === defaultValue, meaning }
  })
}

function profileOf(read: (key: SettingKey) => SettingTypes[SettingKey]): Profile {
  const value = <Key extends SettingKey>(key: Key): SettingTypes[Key] => read(key) as SettingTypes[Key]
  return {
    baseUrl: value('base_url') ?? undefined,
    isProtected: value('protected'),
    allowsInsecureHttp: value('insecure_http'),
    keyCommand: value('key_command') ?? undefined,
    serveDatabase: value('serve_database') ?? undefined,
    connector: value('connector') ?? undefined,
    connectorVariables: parsedVariables(value('connector_vars')),
    pageSize: value('page_size') ?? undefined,
  }
}

function parsedVariables(text: string | null): Profile['connectorVariables'] {
  return text === null ? {} : parseVariables(text, 'connector_vars')
}

function readSetting(
  stored: JsonObject,
  key: SettingKey,
  field: string,
  path: string,
): SettingTypes[SettingKey] | undefined {
  const isOfEarlier = key === 'page_size' && !Object.hasOwn(stored, key)
  const name = isOfEarlier ? EARLIER_PAGE_SIZE : key
  let value: JsonValue | undefined = stored
  for (const part of name.split('.'))
    value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  if (value === undefined) return undefined
  const { kind, parse } = SETTINGS[key]
  const where = `${field}.${name}`
  if (typeof value !== kind) throw damaged(path, `${where} is ${JSON.stringify(value)}, expected a ${kind}`)
  try {
    return parse(String(value), where)
  } catch (error) {
    throw error instanceof CrmError ? damaged(path, error.message) : error
  }
}

/** CrmError `invalid_input`, without the key, unless the text is valid in an Authorization header. */
export function checkKey(text: string, source: string): string {
  // JavaScript callers may pass an unset variable; the pattern below would accept the text "undefined".
  const isMissing = typeof text !== 'string' || text === ''
  // Visible ASCII: a token of RFC 6750 has no blanks, and a header no control characters.
  if (!isMissing && /^[\x21-\x7e]+$/.test(text)) return text
  const what = isMissing ? 'is empty' : 'contains a blank, a line end or a character outside ASCII'
  throw new CrmError('invalid_input', `the key from ${source} ${what}`, {
    hint: 'expected the key alone, on one line, as `crm serve keys create` prints it',
  })
}
