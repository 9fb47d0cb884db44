import { parseDurationWithUnitMs } from '../core/duration.ts'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonValue, parseExactJson } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { type Jq, type JqRun, MOST_LEVELS } from './jq.ts'
import { type OrderedComparison, type PathUse, plainPaths } from './plain-paths.ts'

/**
 * `number(example)` and `date(shape)`, as `--map` converts cells. A number is written as in the example, `1.234,50 EUR`; a date
 * has one of the shapes, `D.M.Y|M/D/YY`, or is one of ISO 8601. Regular expressions escape what they are given.
 */
const CONVERSIONS = String.raw`def _plain: gsub("(?<c>[^A-Za-z0-9 ])"; "\\\(.c)");
def number($example): if type != "string" then . else
  (gsub("[\u00a0\u202f\u2009]"; " ") | sub("^ +"; "") | sub(" +$"; "")) as $text
  | ($example | capture("^(?<before>[^0-9]*)(?<digits>[0-9](?:.*[0-9])?)(?<after>[^0-9]*)$") // error("number(\($example | tojson)): expected an example such as 1.234,50")) as $e
  | ([$e.digits | match("[^0-9]"; "g").string]) as $marks
  | ($marks | unique | length) as $kinds | $marks[-1] as $last
  | (if $last == null then "" else $e.digits | split($last)[-1] end) as $tail
  | ($kinds == 1 and (($tail | length) == 3 or ($marks | length) > 1)) as $isGroup
  | (if $isGroup then null else $last end) as $decimal
  | (if $isGroup then $last else ($marks | map(select(. != $decimal)))[0] end) as $group
  | (reduce ($e.before, $e.after | gsub("^ +| +$"; "") | select(. != "")) as $unit ($text;
      if startswith($unit) then .[$unit | length:] | sub("^ +"; "") elif endswith($unit) then .[:-($unit | length)] | sub(" +$"; "") else . end)) as $bare
  | ((if $group == null then "[0-9]+" else "(?:[0-9]+|[0-9]{1,3}(?:" + ($group | _plain) + "[0-9]{3})+)" end)
     + (if $decimal == null then "" else "(?:" + ($decimal | _plain) + "[0-9]+)?" end)) as $shape
  | if ($bare | test("^[+-]?" + $shape + "$")) then
      ($bare | sub("^[+]"; "") | (if $group == null then . else split($group) | join("") end)
       | (if $decimal == null then . else split($decimal) | join(".") end)
       | sub("^(?<s>-?)0+(?=[0-9])"; "\(.s)") | tonumber)
    else error("\($text | tojson | .[:60]) is no number as \($example)") end end;
def date($shapes): if type != "string" then . else . as $given
  | ([("Y-M-D", ($shapes | split("|")[])) | . as $shape
      | [match("YY|[DMY]|[^DMY]+"; "g").string]
      | if (map(select(test("^[DMY]+$")) | .[:1]) | sort) == ["D", "M", "Y"] then . else error("date(\($shapes | tojson)): \($shape | tojson) is no shape of a date, expected one such as D.M.Y") end
      | map(if . == "D" then "(?<d>[0-9]{1,2})" elif . == "M" then "(?<m>[0-9]{1,2})" elif . == "Y" then "(?<y>[0-9]{4})" elif . == "YY" then "(?<y>[0-9]{2})" else _plain end)
      | "^ *" + join("") + " *$"] | map(. as $pattern | $given | capture($pattern)?)
    | map(map_values(tonumber) | if .y < 69 then .y += 2000 elif .y < 100 then .y += 1900 else . end
        | . as $c | ([$c.y, $c.m - 1, $c.d, 0, 0, 0, 0, 0] | mktime | gmtime) as $t
        | select($t[0] == $c.y and $t[1] == $c.m - 1 and $t[2] == $c.d) | $t | strftime("%Y-%m-%d"))
    | .[0]) // error("\($given | tojson | .[:60]) is no date as \($shapes)") end;
`.replaceAll('\n', ' ')

const LANGUAGE_HINT = 'the language is jq 1.8: https://jqlang.org/manual/v1.8/'

/** Texts, comments and operators, each whole: the `=` of `==` and `<=` does not assign. */
const TOKEN = /"(?:[^"\\]|\\.)*"|#[^\n]*|[=!<>]=|\/\/=|[|+\-*/%]=|[=|;()[\]{}]/gs

const ASSIGNMENT = /^(?:\/\/|[|+\-*/%])?=$/

/** An escape of JSON: a surrogate pair, then one half of a pair, then any other. */
const ESCAPE = /\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F]\w\w)|.)/gs

/** The results, or the reason for having none. */
export type ExpressionOutcome = { readonly results: readonly JsonValue[] } | { readonly reason: string }

/** An expression may give no result, one, or several. */
export interface Query {
  /**
   * The results for each record, in the order of the records. CrmError `invalid_input` when jq itself ends, which names the
   * record by `placeOf` or by its id.
   */
  outcomes(records: readonly CrmRecord[], placeOf?: PlaceOf): Promise<readonly ExpressionOutcome[]>
  /** The same; CrmError `invalid_input` with the number of records on which the expression fails, and the first of them. */
  each(records: readonly CrmRecord[], placeOf?: PlaceOf): Promise<readonly (readonly JsonValue[])[]>
  /** The results of one value, given as JSON. */
  whole(json: string): Promise<readonly JsonValue[]>
  /** The members that it provably reads from a record, when its input is a record or the list of records. */
  uses(sees: 'record' | 'list'): readonly PathUse[]
}

type PlaceOf = (at: number) => string

export interface ExpressionSource {
  readonly flag: ExpressionFlag
  readonly text: string | undefined
  readonly say: (line: string) => void
  /** For `age` and `older_than`. */
  readonly nowMs: number
}

/** A function of the manual that jq lacks, and no environment instead of the one that the package makes up. */
const PREFIX = 'def ascii: [.] | implode; def env: {}; {} as $ENV | '

export async function createExpression(jq: Jq, source: ExpressionSource): Promise<Query | undefined> {
  const { flag, text, say } = source
  if (text === undefined) return undefined
  // On the first line, because $__loc__ gives the line; a line end after it, because it may end with a comment. In a list,
  // so that all results are one line.
  const collected = (sees: 'record' | 'list'): string =>
    `[(${withCheckedOrder(text, plainPaths(text, sees).comparisons)}\n)]`
  const ofRecord = collected('record')
  const known = conversionFunctions(text) + timeFunctions(text, source.nowMs) + PREFIX
  // Compiled alone first: `1) | (2` is valid only inside the brackets.
  const before = `${known}empty|`
  for (const program of [text, ofRecord]) {
    const run = await jq.run(['-n', before + program], '')
    // It computes what is constant.
    if (run.exit === undefined) throw evaluationFailure({ flag, place: undefined, run })
    if (run.exit !== 0) throw compileFailure(flag, text, reasonIn(run, program === text ? before : undefined))
  }
  if (flag === '--where') refuseAssignment(text)
  refuseNoDuration(plainPaths(text, 'record').durations)
  /** One line for each input, or fewer when the program ends jq. */
  const evaluate = async (program: string, json: string): Promise<Evaluated> => {
    const run = await jq.run(['-c', `${known}${program}`], wholeCharacters(json))
    if (run.exit === 0 && run.stderr !== '') for (const line of run.stderr.split('\n')) say(line)
    return { run, lines: run.stdout === '' ? [] : run.stdout.split('\n') }
  }
  // jq reads the records as one text, nothing of it if one of them is nested too deeply, and returns nothing if memory ends.
  const outcomesOneByOne: Query['outcomes'] = async (records, placeOf = placeIn(records)) => {
    if (records.length === 1) return [{ reason: TOO_DEEP }]
    const all: ExpressionOutcome[] = []
    for (const [at, record] of records.entries()) all.push(...(await outcomes([record], () => placeOf(at))))
    return all
  }
  const outcomes: Query['outcomes'] = async (records, placeOf = placeIn(records)) => {
    if (records.length === 0) return []
    const { run, lines } = await evaluate(`.[]|try ${ofRecord} catch {reason: .}`, JSON.stringify(records))
    if (isTooDeep(run) || (run.exit === undefined && records.length > 1)) return outcomesOneByOne(records, placeOf)
    // One line for each record, up to the one that ended jq.
    if (lines.length < records.length) throw evaluationFailure({ flag, place: placeOf(lines.length), run })
    return lines.map(readOutcome)
  }
  return {
    outcomes,
    async each(records, placeOf = placeIn(records)) {
      const all = await outcomes(records, placeOf)
      const failure = failureIn(flag, all, placeOf)
      if (failure) throw failure
      return all.map((outcome) => ('results' in outcome ? outcome.results : []))
    },
    async whole(json) {
      const { run, lines } = await evaluate(json.startsWith('[') ? collected('list') : ofRecord, json)
      if (lines[0] === undefined) throw evaluationFailure({ flag, place: undefined, run })
      return parseExactJson(lines[0]) as JsonValue[]
    },
    uses: (sees) => plainPaths(text, sees).uses,
  }
}

interface Evaluated {
  readonly run: JqRun
  readonly lines: readonly string[]
}

const TOO_DEEP = `nested too deeply for jq, which reads ${MOST_LEVELS - 1} objects and lists in each other`

function isTooDeep({ exit, stderr }: JqRun): boolean {
  return exit !== 0 && stderr.includes('Exceeds depth limit for parsing')
}

export function placeIn(records: readonly CrmRecord[]): PlaceOf {
  return (at) => `record ${JSON.stringify(records[at]?.id ?? at + 1)}`
}

function readOutcome(line: string): ExpressionOutcome {
  const value = parseExactJson(line)
  if (!isJsonObject(value)) return { results: value as JsonValue[] }
  return { reason: caughtReason(value.reason ?? null) }
}

function failureIn(flag: ExpressionFlag, all: readonly ExpressionOutcome[], placeOf: PlaceOf): CrmError | undefined {
  const failed = all.flatMap((outcome, at) => ('reason' in outcome ? [{ at, reason: outcome.reason }] : []))
  const [first] = failed
  return first && recordFailures(flag, { count: failed.length, place: placeOf(first.at), reason: first.reason })
}

/**
 * Replaces each unpaired surrogate by U+FFFD. A server may send one, which RFC 8259 section 8.2 allows; jq rejects the whole
 * text that contains it.
 */
function wholeCharacters(json: string): string {
  if (!/\\u[dD]/.test(json)) return json
  return json.replace(ESCAPE, (whole, half: string | undefined) => (half === undefined ? whole : '\\ufffd'))
}

/**
 * CrmError `usage` for a condition that ends in an assignment: its result is the changed record, which counts as true, so
 * `.company = "x"` would select every record. In brackets, and before a `|`, an assignment may be intended.
 */
export function refuseAssignment(text: string): void {
  let depth = 0
  let assignment: string | undefined
  for (const [token] of text.matchAll(TOKEN)) {
    if ('([{'.includes(token)) depth++
    else if (')]}'.includes(token)) depth--
    else if (depth > 0) continue
    else if (token === '|' || token === ';') assignment = undefined
    else if (ASSIGNMENT.test(token)) assignment = token
  }
  if (assignment === undefined) return
  throw new CrmError(
    'usage',
    `--where ${JSON.stringify(text)} assigns with ${assignment}, which is true of every record`,
    {
      hint: `== compares; ${assignment} assigns`,
    },
  )
}

type ExpressionFlag = '--where' | '--jq' | '--compute'

/** Why a program does not compile. Its places count from the end of `before`; undefined: they say nothing about the text. */
function reasonIn({ stderr }: JqRun, before: string | undefined): string {
  return stderr
    .split('\n', 1)
    .join('')
    .replace(/^jq: error: /, '')
    .replace(' (Unix shell quoting issues?)', '')
    .replace(/ at <top-level>, line (\d+)(?:, column (\d+))?:$/, (_, line: string, column: string | undefined) =>
      before === undefined || column === undefined ? '' : ` at ${placeAfter(before, Number(line), Number(column))}`,
    )
}

function placeAfter(before: string, line: number, column: number): string {
  const lines = before.split('\n')
  const own = line - lines.length + 1
  return `line ${own}, column ${own === 1 ? column - (lines.at(-1)?.length ?? 0) : column}`
}

function compileFailure(flag: string, text: string, reason: string): CrmError {
  return new CrmError('usage', `${flag} ${JSON.stringify(text)} is not a jq expression: ${reason}`, {
    hint: LANGUAGE_HINT,
  })
}

interface Failure {
  readonly flag: ExpressionFlag
  /** The record on which it failed; undefined for a single value. */
  readonly place: string | undefined
  readonly run: JqRun
}

function evaluationFailure({ flag, place, run }: Failure): CrmError {
  return failure({ flag, where: place, reason: reasonOf(run) })
}

export interface RecordFailures {
  readonly count: number
  /** The first record on which it fails, and why. */
  readonly place: string
  readonly reason: string
}

export function recordFailures(flag: ExpressionFlag, { count, place, reason }: RecordFailures): CrmError {
  const where = count === 1 ? place : `${count} records, the first is ${place}`
  return failure({ flag, where, reason })
}

function failure({
  flag,
  where,
  reason,
}: Pick<Failure, 'flag'> & { where: string | undefined; reason: string }): CrmError {
  const skip = flag === '--where' ? ['--where-errors skip leaves such records out and counts them'] : []
  // A default takes the place of null alone.
  const remedies = /\bnull\b/.test(reason) ? ['// gives a default, such as (.amount // 0)', ...skip] : skip
  return new CrmError('invalid_input', `${flag} fails${where ? ` on ${where}` : ''}: ${reason}`, {
    hint: remedies.length > 0 ? remedies.join('; ') : LANGUAGE_HINT,
  })
}

/** The value that `catch` gets: jq prints a string unquoted, and any other value as JSON. */
function caughtReason(value: JsonValue): string {
  // The whole message of jq for `input` without a next value.
  if (value === 'break') return 'input has no next value: the current value, ., is the only one'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function reasonOf({ exit, stderr }: JqRun): string {
  if (exit === undefined) return 'jq ran out of memory'
  if (exit === 0) return 'the expression stops jq'
  // The output of `debug` comes before it.
  const [, reason] = /^jq: (?:parse )?error(?: \(at [^)]*\))?(?: \(not a string\))?: (.*)/ms.exec(stderr) ?? []
  return reason === undefined ? stderr : caughtReason(reason)
}

/** The definitions for a program that uses them; empty for others, because every run compiles them. */
function conversionFunctions(program: string): string {
  return /\b(?:number|date)\s*\(/.test(program) ? CONVERSIONS : ''
}

/** Fails for a value of the other type: jq orders every text after every number, whatever they hold. */
const CHECK =
  'def _ordered($other; $before; $after): if type == $other then error($before + (tojson | .[:60]) + $after) else . end; '

/**
 * The program with what it orders against a literal checked at the comparison: a text against a number, and a number against a text,
 * is an error. Servers send decimals as texts (`"500.00"`), and jq would find all of them greater than any number.
 */
export function withCheckedOrder(program: string, comparisons: readonly OrderedComparison[]): string {
  const inserts = comparisons.flatMap((comparison) => {
    const { member } = comparison
    return [
      { at: member.start, text: '(' },
      { at: member.end, text: `|${checkOf(program, comparison)})` },
    ]
  })
  let checked = ''
  let from = 0
  for (const { at, text } of inserts.toSorted((one, other) => one.at - other.at)) {
    checked += program.slice(from, at) + text
    from = at
  }
  return (comparisons.length === 0 ? '' : CHECK) + checked + program.slice(from)
}

function checkOf(program: string, { member, literal, operator }: OrderedComparison): string {
  const written = program.slice(member.start, member.end)
  const isNumber = literal.literal === 'number'
  const given = program.slice(literal.start, literal.end)
  const source = `(${written}|tonumber)`
  const [first, second] = member.start < literal.start ? [source, given] : [given, source]
  const after = isNumber ? `, not a number; use ${first} ${operator} ${second}` : `, not a text like ${given}`
  const isMember = member.of === 'input' && member.names.length > 0
  const name = isMember ? member.names.map(({ text }) => text).join('.') : written
  const before = `${name} is the ${isNumber ? 'text' : 'number'} `
  return `_ordered(${[isNumber ? 'string' : 'number', before, after].map((part) => JSON.stringify(part)).join('; ')})`
}

const DURATION = String.raw`^(?<n>\\d+(?:\\.\\d+)?)(?<unit>ms|s|m|h|d)$`
const TIME = String.raw`^(?<y>\\d{4})-(?<m>\\d\\d)-(?<d>\\d\\d)(?:[Tt ](?<h>\\d\\d):(?<min>\\d\\d)(?::(?<s>\\d\\d(?:\\.\\d+)?))?(?:[Zz]|(?<sign>[+-])(?<oh>\\d\\d):?(?<om>\\d\\d))?)?$`

/**
 * `age` and `older_than(time)`, for times of RFC 3339, with or without fractions, and dates (ISO 8601); UTC without an
 * offset. `fromdateiso8601` of jq accepts neither fractions nor offsets. Days are counted as in
 * https://howardhinnant.github.io/date_algorithms.html#days_from_civil
 */
const TIMES = `def age:
def fault: error("\\(tojson | .[:60]) is not a time, expected one such as 2026-01-31T09:30:00.000Z, or 2026-01-31");
def days($y; $m; $d): (if $m <= 2 then $y - 1 else $y end) as $from | ($from / 400 | floor) as $era
  | ($from - $era * 400) as $year | (((153 * (($m + 9) % 12) + 2) / 5 | floor) + $d - 1) as $day
  | $era * 146097 + $year * 365 + ($year / 4 | floor) - ($year / 100 | floor) + $day - 719468;
def last_day: if .m == 2 then (if (.y % 4 == 0 and .y % 100 != 0) or .y % 400 == 0 then 29 else 28 end)
  elif .m == 4 or .m == 6 or .m == 9 or .m == 11 then 30 else 31 end;
(if type == "string" then (capture("${TIME}") // null) else null end) as $parts
| if $parts == null then fault else . as $given | $parts
  | (.sign // "+") as $sign | del(.sign) | map_values((. // "0") | tonumber)
  | if .m < 1 or .m > 12 or .d < 1 or .d > last_day or .h > 23 or .min > 59 or .s >= 61 or .oh > 23 or .om > 59
    then $given | fault else . end
  | ((.oh * 60 + .om) * (if $sign == "-" then -60 else 60 end)) as $offset
  | NOW - (days(.y; .m; .d) * 86400 + .h * 3600 + .min * 60 + .s - $offset) end;
def older_than($time): age as $age | ($time | if type == "string" then (capture("${DURATION}") // null) else null end)
| if . == null then error("older_than(\\($time | tojson)): expected a time such as 90d, 12h, 30m, 45s or 500ms")
  else $age > (.n | tonumber) * {ms: 0.001, s: 1, m: 60, h: 3600, d: 86400}[.unit] end;
`.replaceAll('\n', ' ')

/** The definitions for a program that uses them; empty for others, because every run compiles them. */
function timeFunctions(program: string, nowMs: number): string {
  return /\b(?:age|older_than)\b/.test(program) ? TIMES.replace('NOW', String(nowMs / 1000)) : ''
}

/** CrmError `usage` for a literal that `older_than` would reject for every record. */
function refuseNoDuration(durations: readonly string[]): void {
  const wrong = durations.find((text) => parseDurationWithUnitMs(text) === undefined)
  if (wrong === undefined) return
  throw new CrmError('usage', `older_than(${JSON.stringify(wrong)}): this is not a duration`, {
    hint: 'expected a number and its unit, such as older_than("90d"), "12h", "30m", "45s" or "500ms"',
  })
}
