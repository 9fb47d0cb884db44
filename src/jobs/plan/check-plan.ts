import { Buffer } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectionPath, parentOfPath, pathOfRecord } from '../../api/transport/call.ts'
import { CrmError } from '../../core/errors.ts'
import { decodeId } from '../../core/ids.ts'
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { IMPORTABLE_NOUNS, isListed, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import { isTooDeep, TOO_DEEP } from '../input/input-file.ts'
import { FINDING_CODES, INPUT_FORMATS } from '../input/row.ts'
import { recordDigest, requestDigest } from './digest.ts'
import { PlanFile } from './plan-file.ts'
import { METHODS, type OperationHead, type PlanEnd, type PlanHead, type PlanOperation } from './plan-format.ts'
import { contentsOfPlan, operationValues, type Preview, upsertText } from './preview.ts'

/** Why a line is refused, without its number. */
class Fault extends Error {}

/**
 * The operations of a plan that anyone may have written or changed. Only what this program writes is accepted: every member is known and has one
 * place, every path follows from noun and id, and every count of the end is the number of its operations. CrmError `invalid_input` that
 * names the first line that differs; the last one is judged after the last operation.
 */
export function* checkedOperations(plan: PlanFile): Generator<PlanOperation, void, undefined> {
  const counts = { create: 0, update: 0, delete: 0, fail: 0, rejected: 0 }
  let line = 1
  const check = (work: () => void) => {
    try {
      work()
    } catch (error) {
      throw refused(plan, line, error)
    }
    line += 1
  }
  check(() => checkHead(plan.head, plan.ends.head))
  for (const operation of plan.all()) {
    const { head } = operation
    check(() => checkOperation(operation, { line: operation.bytes, head: plan.head, op: line - 2 }))
    counts[head.do] += 1
    if (head.failed && head.failed.code !== 'ambiguous_match') counts.rejected += 1
    yield operation
  }
  check(() => checkEnd(plan.end, plan.ends.end, counts))
}

/** As checkedOperations, from the first line to the last; also for a plan of which a byte has changed since. */
export function checkPlan(plan: PlanFile): void {
  plan.verify()
  for (const _ of checkedOperations(plan));
}

function refused({ path }: PlanFile, line: number, error: unknown): unknown {
  // RangeError: nested beyond the stack, in the head. URIError: a path with half an escape.
  const isNesting = error instanceof RangeError
  const isKnown = isNesting || [Fault, CrmError, SyntaxError, URIError].some((kind) => error instanceof kind)
  if (!(error instanceof Error) || !isKnown) return error
  const why = isNesting ? 'its values are nested too deeply' : error.message
  return refusedLine('invalid_input', { path, line }, why, error)
}

/** The error for a line of a plan in a file. */
export function refusedLine(
  code: 'invalid_input' | 'conflict',
  { path, line }: { readonly path: string; readonly line: number },
  why: string,
  cause?: Error,
): CrmError {
  return new CrmError(code, `${path}, line ${line}: ${why}; nothing was sent`, {
    hint: 'make a new plan: run the command that made it with --plan again',
    places: [{ file: path, line, problem: why }],
    ...(cause && { cause }),
  })
}

function checkHead(head: PlanHead, line: Buffer): void {
  requireShape(head, HEAD_SHAPE)
  requireText(line, JSON.stringify(head))
  const { kind, noun, terms, upsert, ordered } = head
  if (terms && terms.as !== kind) throw new Fault(`terms.as is ${terms.as}, and kind is ${kind}`)
  if (ordered && kind !== 'merge') throw misplaced('ordered')
  if (kind !== 'import' && !isListed(resourceOf(noun))) throw misplaced('kind')
  const { names, mode } = terms?.match ?? {}
  if (upsert !== undefined && (mode !== 'upsert' || names?.length !== 1 || names[0] !== upsert))
    throw misplaced('upsert')
  if (mode === 'upsert' && kind !== 'import') throw misplaced('terms.match.mode')
}

interface Place {
  readonly line: Buffer
  readonly head: PlanHead
  /** The number that it must have. */
  readonly op: number
}

function checkOperation({ op, head, body }: PlanOperation, { line, head: plan, op: expected }: Place): void {
  requireShape({ op, ...head }, OPERATION_SHAPE)
  if (op !== expected) throw new Fault(`op is ${op}, and the line is that of ${expected}`)
  const isNew = head.do === 'create' || head.do === 'fail'
  if (!KIND_DOES[plan.kind]?.includes(head.do) || !(isNew || isListed(resourceOf(plan.noun))))
    throw new Fault(`a plan of the kind ${plan.kind} does not ${head.do}`)
  const text = body?.toString('utf8')
  if ([text, head.was].some((each) => each !== undefined && isTooDeep(each)))
    throw new Fault(`its values are ${TOO_DEEP}`)
  const written = JSON.stringify({ op, ...head }).slice(0, -1)
  requireText(line, `${written}${text === undefined ? '}' : `,"body":${text}}`}`)
  const values = text === undefined ? undefined : parseExactJson(text)
  requireMembers(head, values, plan)
  if (text !== undefined && canonicalJson(values ?? null) !== text) throw new Fault('its body is not in canonical form')
  if (head.path !== pathOf(head, plan)) throw new Fault(`path is ${JSON.stringify(head.path)}, not that of its record`)
  requireDigest(head, text)
  if (head.was !== undefined) requireWas(head.was, head, values)
  if (head.after !== undefined && head.after >= op) throw misplaced('after')
}

/** Those that an operation of this kind has, and no others. */
function requireMembers(head: OperationHead, body: JsonValue | undefined, { ordered }: PlanHead): void {
  const isFailed = head.do === 'fail'
  const isChange = head.do === 'update' || head.do === 'delete'
  const isWritten = head.do === 'create' || head.do === 'update'
  const wanted: readonly (readonly [name: string, isThere: boolean, isExpected: boolean])[] = [
    ['body', body !== undefined, isWritten],
    ['id', head.id !== undefined, isChange],
    ['before', head.before !== undefined, isChange],
    ['failed', head.failed !== undefined, isFailed],
  ]
  const wrong = wanted.find(([, isThere, isExpected]) => isThere !== isExpected)
  if (wrong) throw new Fault(`${head.do} ${wrong[1] ? 'has no' : 'needs a'} member ${wrong[0]}`)
  if (isWritten && !isJsonObject(body)) throw misplaced('body')
  const extra = (['was', 'gen', 'since', 'taken', 'ifMatch', 'after'] as const).find((name) => {
    if (head[name] === undefined) return false
    if (isFailed) return true
    if (name === 'taken') return head.do !== 'create' || head.since === undefined
    return name === 'after' ? !ordered : (name === 'was' || name === 'ifMatch') && !isChange
  })
  if (extra) throw new Fault(`${head.do} has no member ${extra} here`)
}

/** Of an operation that fails without a request, that of the resource. */
function pathOf({ do: kind, path, id = '' }: OperationHead, { noun }: PlanHead): string {
  const resource = resourceOf(noun)
  if (kind === 'fail') return RESOURCES[resource].path
  if (kind !== 'create') return pathOfRecord(resource, id)
  const parent = parentOfPath(resource, path)
  return parent || !('parent' in RESOURCES[resource]) ? collectionPath(resource, parent) : RESOURCES[resource].path
}

function requireDigest({ do: kind, path, digest, before }: OperationHead, body = ''): void {
  const own = kind === 'fail' ? '' : requestDigest(METHODS[kind], path, body, before)
  if (own !== digest) throw new Fault('digest is not that of its request')
}

function checkEnd(end: PlanEnd, line: Buffer, counts: Readonly<Record<string, number>>): void {
  requireShape(end, END_SHAPE)
  requireText(line, JSON.stringify(end))
  const stated: Readonly<Record<string, unknown>> = { fail: 0, rejected: 0, ...end }
  const wrong = Object.keys(counts).find((name) => stated[name] !== counts[name])
  if (wrong) throw new Fault(`${wrong} is ${stated[wrong]}, and the plan has ${counts[wrong]}`)
  const rows = end.create + end.update + end.delete + (end.fail ?? 0) + end.unchanged + end.skipped
  if ((end.already ?? 0) > end.skipped) throw misplaced('already')
  if (end.rows !== rows) throw new Fault(`rows is ${end.rows}, and the counts add up to ${rows}`)
}

function requireShape(value: object, shape: typeof HEAD_SHAPE): void {
  const fault = faultIn(value, shape, '')
  if (fault !== undefined) throw new Fault(fault)
}

function misplaced(member: string): Fault {
  return new Fault(`the member ${JSON.stringify(member)} has a value that a plan does not have there`)
}

/** A member that is there twice, or a number in another form, would be shown as one thing and sent as another. */
function requireText(line: Buffer, written: string): void {
  if (!line.equals(Buffer.from(written)))
    throw new Fault('a member is there twice, or it is not written as crm writes it')
}

/** Of a deletion the whole record, whose digest is known; of a change its members, which `apply` compares with those of the record. */
function requireWas(was: string, { do: kind, before }: OperationHead, body: JsonValue | undefined): void {
  const value = parseExactJson(was)
  const isRight = (known: JsonObject) =>
    kind === 'delete' ? recordDigest(known) === before : isJsonObject(body) && hasMembersOf(known, body)
  if (!isJsonObject(value) || !isRight(value)) throw misplaced('was')
}

/** A member that is not there would be shown as one without a value. */
function hasMembersOf(known: JsonObject, body: JsonObject): boolean {
  const names = Object.keys(body)
  return Object.keys(known).length === names.length && names.every((name) => Object.hasOwn(known, name))
}

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
const KIND_DOES: Readonly<Record<string, readonly string[]>> = {
  import: ['create', 'update', 'fail'],
  update: ['update', 'fail'],
  delete: ['delete', 'fail'],
  merge: ['update', 'delete'],
}

const COLUMN: Shape = {
  name: isText,
  field: isText,
  type: oneOf('number', 'boolean'),
  isText: oneOf(true),
  isEdit: oneOf(true),
  label: isText,
}

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
    isNewAllowed: isFlag,
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

const HEAD_SHAPE: Shape = {
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

const OPERATION_SHAPE: Shape = {
  ...{ op: isWhole, do: oneOf('create', 'update', 'delete', 'fail'), path: isText, id: isText, line: isWhole },
  ...{ at: tupleOf(2), also: listOf(tupleOf(3)), digest: isText, n: isWhole, gen: isWhole, since: isTime },
  ...{ taken: oneOf(true), before: isDigest, was: isText, ifMatch: isVersion, after: isWhole },
  failed: FAILED,
}

const END_SHAPE: Shape = {
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
function faultIn(value: unknown, rule: Check | Shape, path: string): string | undefined {
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

/** An operation of a plan, or a row that fails without one. */
export interface ShownOperation {
  readonly op: number
  readonly do: OperationHead['do']
  readonly id: string | null
  /** The id of the record that a new note is on, and its noun; absent for everything else. */
  readonly parent?: string
  readonly on?: string
  readonly line: number | null
  readonly fields: JsonObject | null
  /** What the operation replaces; null for a create, and if the plan does not have it. */
  readonly was: JsonObject | null
  readonly reason: string | null
}

/** A plan in a file, to be looked at. */
export interface OpenedPlan {
  readonly head: PlanHead
  readonly end: PlanEnd
  /** That its creates may change records; undefined if they cannot. */
  readonly upserts: string | undefined
  /** What it changes, as values; reads the whole plan. */
  preview(): Preview
  pages(): AsyncIterable<readonly ShownOperation[]>
}

/** CrmError `invalid_input` for a file that is no whole plan, has changed since it was made, or that `apply` would refuse. */
export function openPlan(path: string): OpenedPlan {
  const plan = new PlanFile(path)
  checkPlan(plan)
  return {
    head: plan.head,
    end: plan.end,
    upserts: upsertText(plan.head),
    preview: () => contentsOfPlan(plan).preview,
    async *pages() {
      let page: ShownOperation[] = []
      try {
        for (const operation of plan.all()) {
          page.push(shownOf(operation, plan.head))
          if (page.length < PAGE_OPERATIONS) continue
          yield page
          page = []
          await nextTurn()
        }
        yield page
      } finally {
        plan.close()
      }
    },
  }
}

const PAGE_OPERATIONS = 256

function shownOf(operation: PlanOperation, { noun }: PlanHead): ShownOperation {
  const { do: kind, path, id = null, line = null, failed } = operation.head
  const { body: fields = null, was = null } = operationValues(operation)
  const parent = kind === 'create' ? parentOfPath(resourceOf(noun), path) : undefined
  const on = parent && { parent: parent.id, on: RESOURCES[parent.of].plural }
  const reason = failed?.reason ?? null
  return { op: operation.op, do: kind, id, line, fields, was, reason, ...on }
}
