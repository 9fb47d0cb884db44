import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, parseJsonAsWritten, setAtPath } from '../core/json.ts'
import { isNumeric, type Resource } from '../core/resources/registry.ts'
import { shellWord } from '../core/shell-words.ts'
import type { GivenMember } from '../jobs/plan/given-fields.ts'
import { type InputContext, readInput } from '../settings/read-input.ts'
import { parseJsonOrYaml } from './document.ts'
import type { WithFlags } from './global-flags.ts'

/** Flags of commands that write one record. */
export interface FieldsOptions {
  readonly set?: readonly string[]
  readonly data?: string | undefined
  readonly idempotencyKey?: string
  /** `--new-field` */
  readonly newField?: true
}

/** `clears`: the end of the help of `--set`, if members can be cleared. */
export function addFieldsFlags(command: CommandUnknownOpts, clears = ''): void {
  command
    .option(
      '--set <key=value>',
      `a member: key=text, key:=json; a.b=text reaches inside (repeatable)${clears}`,
      collect,
    )
    .option('--data <json>', "members as JSON: '{...}', @FILE or FILE (JSON or YAML), - for stdin")
    .option('--idempotency-key <key>', 'a repeated request with the same key takes effect once')
}

/** Without the flag a misspelt member is an error. */
export function addNewFieldFlag(command: CommandUnknownOpts): void {
  command.option('--new-field', 'take names that no field has, although they may be misspelt')
}

/** The options for sending one record. */
export function writeOptions({ flags }: WithFlags<'output'>, { idempotencyKey }: FieldsOptions) {
  return { idempotencyKey, isIdNeeded: flags.output === 'id' }
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** The members of a write; `--set` overrides `--data`. CrmError `usage` if there are none. */
export async function readFields(ctx: InputContext, options: FieldsOptions, resource?: Resource): Promise<JsonObject> {
  const fields: JsonObject = {}
  for (const { path, value } of await readGiven(ctx, options, resource)) setAtPath(fields, path, value)
  return fields
}

/** The same in the order in which they are given. */
export async function readGiven(
  ctx: InputContext,
  { set = [], data }: FieldsOptions,
  resource?: Resource,
): Promise<readonly GivenMember[]> {
  const fields = data === undefined ? {} : await readData(ctx, data)
  const given: GivenMember[] = Object.entries(fields).map(([name, value]) => ({
    ...{ flag: '--data', name, path: [name], value },
  }))
  given.push(...set.map((text) => memberIn(text, resource)))
  if (given.length > 0) return given
  throw new CrmError('usage', 'no members to send', { hint: 'give --set key=value, or --data FILE' })
}

/** `-f key=text` and `-F key:=json`, like `--set`; each member once, so that none is silently dropped. */
export function readMembers(texts: readonly string[], jsons: readonly string[]): JsonObject {
  const fields: JsonObject = {}
  const given: string[] = []
  const add = (flag: '-f' | '-F', key: string, value: JsonValue): void => {
    refuseClash(flag, key, given)
    given.push(key)
    setAtPath(fields, key.split('.'), value)
  }
  for (const text of texts) {
    const [key = '', value] = text.split(/=(.*)/s)
    if (value === undefined || key === '' || key.endsWith(':')) throw notMember('-f', text, 'key=text', '-F key:=json')
    add('-f', key, value)
  }
  for (const text of jsons) {
    const [, key = '', operator, raw = ''] = /^([^=]*?)(:?=)(.*)$/s.exec(text) ?? []
    if (key === '') throw notMember('-F', text, 'key=value or key:=json', '-f key=text')
    add('-F', key, operator === ':=' ? parseMemberJson('-F', key, raw) : typedValue(raw))
  }
  return fields
}

/** A number, true, false or null as JSON writes them; all else is a text, such as `+49`, `007` and `@ada`. */
function typedValue(raw: string): JsonValue {
  const isTyped = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(raw)
  return isTyped ? parseJsonAsWritten(raw) : raw
}

/** CrmError `usage` for a member that is given twice, within another one, or around one. */
function refuseClash(flag: '-f' | '-F', key: string, given: readonly string[]): void {
  if (key.split('.').includes('')) {
    throw new CrmError('usage', `${flag} ${JSON.stringify(key)} contains an empty name`, {
      hint: 'expected names with a dot between them, such as address.city',
    })
  }
  const other = given.find((each) => `${each}.`.startsWith(`${key}.`) || `${key}.`.startsWith(`${each}.`))
  if (other === undefined) return
  const message = other === key ? `${key} is given more than once` : `${other} and ${key} cannot both be given`
  throw new CrmError('usage', message, {
    hint: 'give each member once; several values are a list: -F key:=\'["a","b"]\', and parameters repeat in the path',
  })
}

function notMember(flag: string, text: string, expected: string, other: string): CrmError {
  return new CrmError('usage', `${flag} ${JSON.stringify(text)} is not ${expected}`, {
    hint: `for the other kind: ${other}`,
  })
}

/** JSON itself, or the name of what holds it. */
async function readData(ctx: InputContext, given: string): Promise<JsonObject> {
  const isText = /^\s*[{[]/.test(given)
  const name = isText ? '' : given.replace(/^@/, '')
  const value = isText
    ? parseDataText(given)
    : await parseJsonOrYaml(await readInput(ctx, name, '--data'), { name, flag: '--data' })
  if (isJsonObject(value)) return value
  throw new CrmError('invalid_input', `--data ${name} does not contain one record`, {
    hint: 'expected an object of members, such as {"name": "Ada"}',
  })
}

function parseDataText(text: string): JsonValue {
  try {
    return parseJsonAsWritten(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new CrmError('usage', `--data is not valid JSON: ${cause.message.split('\n')[0]}`, {
      cause,
      hint: `quote it for the shell, such as --data '{"name": "Ada"}', or name a file: --data @ada.json`,
    })
  }
}

const SET = /^([^=]*?)(:?=)(.*)$/s

/** The texts of `--set key=text` by the names of the members. */
export function textMembers(set: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const text of set) {
    const [, key = '', operator, raw = ''] = SET.exec(text) ?? []
    if (operator === '=') texts.set(key, raw)
    else texts.delete(key)
  }
  return texts
}

/** `resource`: whose numeric members are refused as texts. */
export function applySet(fields: JsonObject, text: string, resource?: Resource, flag = '--set'): void {
  const { path, value } = memberIn(text, resource, flag)
  setAtPath(fields, path, value)
}

function memberIn(text: string, resource?: Resource, flag = '--set'): GivenMember {
  const match = SET.exec(text)
  const path = match?.[1]?.split('.') ?? []
  if (!match || path.some((name) => name === '')) {
    throw new CrmError('usage', `${flag} ${JSON.stringify(text)} is not key=value`, {
      hint: 'expected key=text, or key:=json for a number, true, null, a list or an object',
    })
  }
  const [, name = '', operator, raw = ''] = match
  if (operator === '=' && resource && isNumeric(resource, name)) throw textForNumber(name, raw)
  return { flag, name, path, value: operator === ':=' ? parseMemberJson(flag, name, raw) : raw }
}

export function textForNumber(key: string, raw: string): CrmError {
  const json = raw === '' ? 'null' : raw
  const isNumber = /^(?:null|-?\d+(?:\.\d+)?)$/.test(json)
  return new CrmError('usage', `--set ${key}=${raw} is a text, and ${key} is a number; nothing was sent`, {
    hint: isNumber
      ? `--set ${shellWord(`${key}:=${json}`)}`
      : `--set ${key}:=1200, without a thousands separator; decimals after a point`,
  })
}

function parseMemberJson(flag: string, key: string, raw: string): JsonValue {
  try {
    return parseJsonAsWritten(raw)
  } catch (cause) {
    throw new CrmError('usage', `${flag} ${key}:=${raw} is not valid JSON`, {
      cause,
      hint: `for a plain text: ${flag === '-F' ? '-f' : flag} ${key}=${raw}`,
    })
  }
}
