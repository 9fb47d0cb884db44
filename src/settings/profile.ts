import { durationText, parseDurationMs } from '../core/duration.ts'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { PAGING_KINDS, type Wire } from '../core/wire.ts'
import { damaged, replaceIn } from './document.ts'
import { SETTING_KEYS, SETTINGS, type SettingKey, type SettingTypes, type SettingValue } from './setting.ts'
import { operationsText, parseOperations, parseVariables, variablesText } from './setting-values.ts'

/** The value in the file for a parameter that is not sent. */
const NO_PARAMETER = 'none'

const UNKNOWN = 'unknown'

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
  /** A shipped connector or an absolute path; undefined: the contract. */
  readonly connector: string | undefined
  readonly connectorVariables: Readonly<Record<string, string>>
  /** What the OpenAPI document of the server names beyond the contract; undefined: not read yet. */
  readonly operations: readonly string[] | undefined
  readonly wire: Wire
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
  return { ...profile, wire: { ...profile.wire, profile: name } }
}

/** The settings as shown by `config list`. */
export function settingsOf(profile: Profile): SettingTypes {
  return {
    base_url: profile.baseUrl ?? null,
    protected: profile.isProtected,
    insecure_http: profile.allowsInsecureHttp,
    key_command: profile.keyCommand ?? null,
    serve_database: profile.serveDatabase ?? null,
    connector: profile.connector ?? null,
    connector_vars: variablesText(profile.connectorVariables),
    operations: profile.operations === undefined ? null : operationsText(profile.operations),
    'wire.page_size': profile.wire.pageSize,
    'wire.idempotency': profile.wire.idempotency ?? UNKNOWN,
    'wire.idempotency_header': profile.wire.idempotencyHeader,
    'wire.idempotency_window': durationText(profile.wire.idempotencyWindowMs),
    'wire.idempotency_scope': profile.wire.isWindowOfAccount ? 'account' : 'key',
    'wire.request_life': durationText(profile.wire.requestLifeMs),
    'wire.limit_param': profile.wire.limitParam ?? NO_PARAMETER,
    'wire.paging': profile.wire.paging ?? null,
    'wire.cursor_param': profile.wire.cursorParam ?? null,
    'wire.items_path': profile.wire.itemsPath ?? null,
    'wire.next_path': profile.wire.nextPath ?? null,
    'wire.graphql_path': profile.wire.graphqlPath ?? null,
    'wire.run_marker': profile.wire.runMarker ?? null,
  }
}

/** The stored form, validated. Defaults are left out, so that a changed default applies. */
export function writeProfile(stored: JsonObject, profile: Profile): JsonObject {
  const values = settingsOf(profile)
  return SETTING_KEYS.reduce((written, key) => {
    const { parse, defaultValue } = SETTINGS[key]
    const value = values[key] === null ? null : parse(String(values[key]), key)
    return replaceIn(written, key.split('.'), value === defaultValue ? undefined : (value ?? undefined))
  }, stored)
}

export function listValues(stored: JsonObject, field: string, path: string): readonly SettingValue[] {
  return SETTING_KEYS.map((key) => {
    const set = readSetting(stored, key, field, path)
    const { defaultValue, meaning } = SETTINGS[key]
    return { key, value: set ?? defaultValue, isDefault: set === undefined, meaning }
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
    operations: parsedOperations(value('operations')),
    wire: {
      pageSize: value('wire.page_size'),
      idempotency: keeping(value('wire.idempotency')),
      idempotencyHeader: value('wire.idempotency_header'),
      idempotencyWindowMs: parseDurationMs(value('wire.idempotency_window')) ?? 0,
      isWindowOfAccount: value('wire.idempotency_scope') === 'account',
      requestLifeMs: parseDurationMs(value('wire.request_life')) ?? 0,
      limitParam: value('wire.limit_param') === NO_PARAMETER ? undefined : value('wire.limit_param'),
      paging: PAGING_KINDS.find((kind) => kind === value('wire.paging')),
      cursorParam: value('wire.cursor_param') ?? undefined,
      itemsPath: value('wire.items_path') ?? undefined,
      nextPath: value('wire.next_path') ?? undefined,
      graphqlPath: value('wire.graphql_path') ?? undefined,
      runMarker: value('wire.run_marker') ?? undefined,
    },
  }
}

function parsedVariables(text: string | null): Profile['connectorVariables'] {
  return text === null ? {} : parseVariables(text, 'connector_vars')
}

function parsedOperations(text: string | null): Profile['operations'] {
  return text === null ? undefined : parseOperations(text, 'operations')
}

function keeping(text: string): Wire['idempotency'] {
  return text === 'kept' || text === 'none' ? text : undefined
}

function readSetting(
  stored: JsonObject,
  key: SettingKey,
  field: string,
  path: string,
): SettingTypes[SettingKey] | undefined {
  let value: JsonValue | undefined = stored
  for (const name of key.split('.')) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  if (value === undefined) return undefined
  const { kind, parse } = SETTINGS[key]
  const where = `${field}.${key}`
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
