import { decodeId } from '../../core/ids.ts'
import { isJsonObject } from '../../core/json.ts'
import { IMPORTABLE_NOUNS } from '../../core/resources/registry.ts'
import { FINDING_CODES, INPUT_FORMATS } from '../input/row.ts'

type Check = (value: unknown) => boolean

/** The members that an object may have, each with its rule. */
interface Shape {
  readonly [name: string]: Check | Shape
}

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isWhole: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0)
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
const listOf =
  (rule: Check | Shape): Check =>
  (value) =>
    Array.isArray(value) && value.every((each) => faultIn(each, rule, '') === undefined)
const tupleOf =
  (length: number): Check =>
  (value) =>
    Array.isArray(value) && value.length === length && value.every(isWhole)

/** The latest time of JavaScript. */
const isTime: Check = (value) => isWhole(value) && Number(value) <= 8.64e15

const isSha256 = matches(/^[0-9a-f]{64}$/)
const isJobId: Check = (value) => typeof value === 'string' && decodeId('job', value) !== undefined
/** No `*`, which any version matches. */
const isVersion = matches(/^(?!\*$)[\x21-\x7e]{1,100}$/)
const isDigest = matches(/^[\w-]{22}$/)

/** What --plan writes plans of, and what their operations do. */
export const KIND_DOES: Readonly<Record<string, readonly string[]>> = {
  import: ['create', 'update', 'fail'],
  update: ['update', 'fail'],
  delete: ['delete', 'fail'],
  merge: ['update', 'delete'],
}

const COLUMN: Shape = { name: isText, field: isText, type: oneOf('number', 'boolean'), isText: oneOf(true) }

const VERDICT: Shape = {
  ...{ format: oneOf(...INPUT_FORMATS), sheet: isText, encoding: isText, hasBom: isFlag, delimiter: isText },
  ...{ quote: isText, lineEnd: oneOf('\n', '\r\n', '\r'), head: { offset: isWhole, length: isWhole } },
  columns: listOf(COLUMN),
}

const INPUT: Shape = { name: isText, sha256: isSha256, size: isWhole, verdict: VERDICT }

const MATCH: Shape = { names: listOf(isText), mode: oneOf('create', 'upsert', 'update') }

const READ: Shape = {
  ...{ map: listOf(isText), nullToken: isText, compute: listOf(isText), encoding: isText, delimiter: isText },
  ...{
    quote: isText,
    isCsvSafe: isFlag,
    isTrimmed: isFlag,
    isEmptyCleared: isFlag,
    decimal: oneOf('comma', 'point'),
    dateOrder: isText,
  },
  required: listOf(isText),
}

const TERMS: Shape = {
  as: oneOf('import', 'update', 'delete'),
  match: MATCH,
  duplicates: oneOf('first', 'last', 'merge'),
  read: READ,
}

/** The request of an earlier version, which is compared with the one of the server and not sent. */
const UPDATES: Shape = { path: isText, query: isText, place: listOf(isText), members: listOf(isText) }

export const HEAD_SHAPE: Shape = {
  ...{ crm_plan: oneOf(1), job: isJobId, kind: oneOf(...Object.keys(KIND_DOES)) },
  ...{ noun: oneOf(...IMPORTABLE_NOUNS), run: matches(/./s), account: isText, command: listOf(isText) },
  ...{ input: INPUT, terms: TERMS, updates: UPDATES },
  // Of earlier versions: nothing is written to that file.
  ...{ upsert: isText, ordered: oneOf(true), compared: listOf(isText), rejects: isText, asked: listOf(isText) },
  unasked: (value) => value === 'unknown' || listOf(isText)(value),
  ...{ made_at: isTime, version: isText },
}

const FAILED: Shape = {
  code: oneOf('ambiguous_match', ...FINDING_CODES),
  field: (value) => value === null || isText(value),
  reason: isText,
}

export const OPERATION_SHAPE: Shape = {
  ...{ op: isWhole, do: oneOf('create', 'update', 'delete', 'fail'), path: isText, id: isText, line: isWhole },
  ...{ at: tupleOf(2), also: listOf(tupleOf(3)), digest: isText, n: isWhole, gen: isWhole, since: isTime },
  ...{ taken: oneOf(true), before: isDigest, was: isText, ifMatch: isVersion, after: isWhole },
  failed: FAILED,
}

export const END_SHAPE: Shape = {
  ...{ end: oneOf(true), rows: isWhole, create: isWhole, update: isWhole, delete: isWhole, fail: isWhole },
  ...{ rejected: isWhole, already: isWhole, unchanged: isWhole, skipped: isWhole, sha256: isSha256 },
}

/** The members that each must have. */
const REQUIRED = new Map<Shape, readonly string[]>([
  [HEAD_SHAPE, ['crm_plan', 'job', 'kind', 'noun', 'run', 'account', 'command', 'made_at', 'version']],
  [OPERATION_SHAPE, ['op', 'do', 'path', 'digest', 'n']],
  ...[INPUT, MATCH, UPDATES, FAILED].map((shape): [Shape, string[]] => [shape, Object.keys(shape)]),
  [VERDICT, ['format', 'encoding', 'hasBom', 'columns']],
  [COLUMN, ['name']],
  [TERMS, ['as', 'match', 'read']],
  [READ, ['map', 'compute', 'isCsvSafe', 'required']],
  [END_SHAPE, ['end', 'rows', 'create', 'update', 'delete', 'unchanged', 'skipped', 'sha256']],
])

/** What is wrong with the first member that does not fit; undefined if all do. */
export function faultIn(value: unknown, rule: Check | Shape, path: string): string | undefined {
  const wrong = `the member ${JSON.stringify(path)} has a value that a plan does not have there`
  if (typeof rule === 'function') return rule(value) ? undefined : wrong
  if (!isJsonObject(value)) return wrong
  const place = (name: string) => (path === '' ? name : `${path}.${name}`)
  for (const [name, inner] of Object.entries(value)) {
    const own = Object.hasOwn(rule, name) ? rule[name] : undefined
    if (own === undefined) return `a plan has no member ${JSON.stringify(place(name))} there`
    const fault = faultIn(inner, own, place(name))
    if (fault !== undefined) return fault
  }
  const missing = REQUIRED.get(rule)?.find((name) => !Object.hasOwn(value, name))
  return missing === undefined ? undefined : `the member ${JSON.stringify(place(missing))} is missing`
}
