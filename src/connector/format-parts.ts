import { z } from 'zod'
import {
  HEADER_NAME,
  isCredentialHeader,
  isMethodOverride,
  isReservedHeader,
  isTransportHeader,
} from '../core/http-rules.ts'
import { isJsonObject, type JsonValue } from '../core/json.ts'
import { isDay } from '../core/record-time.ts'
import { meantHint } from './located.ts'
import { ConnectorMistake, checkPattern, compilePath } from './paths.ts'
import { compileTemplate } from './templates.ts'

// The parts of which the formats of YAML files are made. The `error` of a part is what was expected, for the end of a message.

/** Regular expressions of the texts, without flags but `u`, as JSON Schema has them. */
const NAME = String.raw`(?:[^.\[\]\\]|\\.)+`
const BRACKET = String.raw`\[(?:|\d{1,6}|(?:[^=\[\]\\]|\\.)+=(?:[^\[\]\\]|\\.)*)\]`
const PLACEHOLDER = String.raw`\{[A-Za-z_][\w\-]*(?:\.[\w\-]+)*\}`
const FILTERED = PLACEHOLDER.replace(/\\\}$/, String.raw`(?:\|(?:soql|sql))?\}`)

/** What a text is, beyond being one. */
interface TextRule {
  /** In help, and in editors. */
  readonly title?: string
  readonly expected: string
  readonly pattern?: string
  /** ConnectorMistake with the position of the mistake. */
  readonly compile?: (text: string) => unknown
  /** What is wrong with a text of the right form, and what was expected. */
  readonly refuse?: (text: string) => string | undefined
}

const HEADER = { title: 'name of a header', expected: 'the name of a header, such as X-Version', pattern: HEADER_NAME }

/** Sent with every write, also to servers that keep no keys. */
const KEY_OF_USE = 'idempotency-key'

/** What carries the key belongs to `auth`, and what frames a message to the transport: nothing else may name it. */
function misusedHeader(name: string): string | undefined {
  if (isCredentialHeader(name)) return `${name} says who sends the request, expected it in "auth" alone`
  if (isMethodOverride(name)) return `${name} replaces the method, expected it in "method" alone`
  if (isTransportHeader(name)) return `${name} is set by crm itself, expected another header`
  if (name.toLowerCase() === KEY_OF_USE) return `${name} is for idempotency keys, expected it in "idempotency" alone`
  return undefined
}

// RFC 3986 section 3.3. Servers take %2e for a dot.
const URL_PATH = {
  title: 'path of a URL',
  expected: 'a path without //, ?, # and .., other characters encoded as in %20, such as /contacts/{id}',
  pattern: String.raw`^(?!(?:.*/)?(?:\.|%2[Ee]){1,2}(?:/|$))(?!.*//)(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2}|${PLACEHOLDER})*$`,
  compile: compileTemplate,
}

const isOfUse = (name: string) => isTransportHeader(name) || isReservedHeader(name)

/** Names by which frameworks take another method from a query or a body. */
const METHOD_MEMBER = /^_(?:http_)?method$/i

/** A member that makes another request of the one that `method` names. */
function methodMember(name: string): string | undefined {
  return METHOD_MEMBER.test(name) ? `${name} replaces the method, expected it in "method" alone` : undefined
}

/** Placeholders that no variable can be named like. */
const PLACEHOLDERS: readonly string[] =
  'key id event parent on now record value items row by select object noun type from to types links after'.split(' ')

const RULES = {
  any: { title: 'text', expected: 'a text' },
  path: {
    title: 'path',
    expected: 'a path such as data[].name',
    pattern: String.raw`^(?:\.|(?:${NAME}|${BRACKET})(?:\.${NAME}|${BRACKET})*)$`,
    compile: compilePath,
  },
  template: {
    title: 'text with placeholders',
    expected: 'a text with placeholders such as {id}',
    pattern: String.raw`^(?:[^{]|\{\{|${FILTERED})*$`,
    compile: compileTemplate,
  },
  headerName: HEADER,
  ownHeader: { ...HEADER, refuse: misusedHeader },
  headerOfKey: {
    ...HEADER,
    refuse: (name) =>
      isOfUse(name) || name.toLowerCase() === KEY_OF_USE
        ? `${name} is set by crm itself, expected another header for the key`
        : undefined,
  },
  headerOfUse: {
    ...HEADER,
    refuse: (name) =>
      isOfUse(name) || isCredentialHeader(name)
        ? `${name} has another meaning, expected a header for idempotency keys alone`
        : undefined,
  },
  headerValue: {
    title: 'ASCII text',
    expected: 'ASCII characters without line ends and control characters',
    pattern: String.raw`^(?:[\t\x20-\x7a|}~]|\{\{|${PLACEHOLDER})*$`,
    compile: compileTemplate,
  },
  parameter: {
    title: 'name of a parameter',
    expected: 'the name of a parameter, without blanks and control characters',
    pattern: String.raw`^[^\s\u0000-\u001f\u007f-\u009f\ud800-\udfff]+$`,
    refuse: methodMember,
  },
  // Blanks and other characters of a value are encoded when it is sent.
  queryValue: {
    title: 'text with placeholders',
    expected: 'a text without control characters',
    pattern: String.raw`^(?:[^{\u0000-\u001f\u007f-\u009f\ud800-\udfff]|\{\{|${FILTERED})*$`,
    compile: compileTemplate,
  },
  urlPath: URL_PATH,
  requestPath: {
    ...URL_PATH,
    refuse: (path) => (/^(?:$|\/|\{object\})/.test(path) ? undefined : `${short(path)}, expected / at its beginning`),
  },
  origin: {
    title: 'URL without a path',
    expected: 'scheme and host, such as https://{company}.example.com',
    pattern: String.raw`^https?://(?:[A-Za-z0-9.\-]|\{[a-z][a-z0-9_]*\})+(?::\d{1,5})?$`,
  },
  day: {
    title: 'day',
    expected: 'a day, such as 2026-11-29',
    pattern: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
    refuse: (text) => (isDay(text) ? undefined : `${short(text)} is not in the calendar, expected a day that is`),
  },
  duration: {
    title: 'time, such as 10s',
    expected: 'a time with its unit, such as 10s',
    pattern: String.raw`^\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d)$`,
  },
  pattern: {
    title: 'regular expression',
    expected: 'a regular expression of at most 100 characters',
    pattern: String.raw`^[\s\S]{0,100}$`,
    compile: checkPattern,
  },
  field: {
    title: 'name of a field',
    expected: 'a name of small letters, digits and _',
    pattern: '^[a-z][a-z0-9_]{0,63}$',
  },
  noun: {
    title: 'noun, such as contacts',
    expected: 'a noun of small letters, digits, _ and -, such as contacts',
    pattern: '^[a-z][a-z0-9_\\-]{0,63}$',
  },
  anyNoun: {
    title: 'noun, such as contacts, or *',
    expected: 'a noun of small letters, digits, _ and -, such as contacts, or *',
    pattern: '^(?:\\*|[a-z][a-z0-9_\\-]{0,63})$',
  },
  variable: {
    title: 'name of a variable',
    expected: 'a name of small letters, digits and _',
    pattern: '^[a-z][a-z0-9_]{0,31}$',
    refuse: (name) =>
      PLACEHOLDERS.includes(name) ? `${name} is a placeholder already, expected another name` : undefined,
  },
  connector: {
    title: 'small letters, digits, hyphens',
    expected: 'a name of small letters, digits and hyphens',
    pattern: '^[a-z0-9][a-z0-9.\\-]{0,63}$',
  },
} as const satisfies Readonly<Record<string, TextRule>>

interface TextProblem {
  readonly message: string
  /** Where in the text. */
  readonly at: number
}

/** Undefined for a text that keeps the rule. */
function textProblem(text: string, { compile, refuse, pattern, expected }: TextRule): TextProblem | undefined {
  try {
    compile?.(text)
  } catch (error) {
    if (!(error instanceof ConnectorMistake)) throw error
    return { message: `in ${short(text)}, ${error.message}`, at: error.at }
  }
  const isInForm = pattern === undefined || new RegExp(pattern, 'u').test(text)
  const message = isInForm ? refuse?.(text) : `${short(text)}, expected ${expected}`
  return message === undefined ? undefined : { message, at: 0 }
}

const SHOWN_CHARS = 60

/** A text of a file as messages show it, without the user and the password of an address. */
export function short(text: string): string {
  const quoted = JSON.stringify(text.replace(/(?<=:\/\/).*@/s, '***@'))
  return quoted.length <= SHOWN_CHARS ? quoted : `${quoted.slice(0, SHOWN_CHARS - 1).toWellFormed()}…`
}

/** A text that keeps a rule; a mistake in it has its position as `params.at`. */
export function text(kind: keyof typeof RULES | TextRule): z.ZodString {
  const rule: TextRule = typeof kind === 'string' ? RULES[kind] : kind
  const { title, pattern, expected } = rule
  return z
    .string({ error: expected })
    .check(({ value, issues }) => {
      const problem = textProblem(value, rule)
      if (problem) issues.push(custom(value, problem))
    })
    .meta({ ...(title !== undefined && { title }), ...(pattern !== undefined && { pattern }) })
}

function custom(input: unknown, { message, at }: TextProblem, path: readonly PropertyKey[] = []) {
  return { code: 'custom' as const, input, message, params: { at }, path: [...path] }
}

/** `why`: for a message, why there is no other. */
export function choice<const Values extends readonly string[]>(values: Values, why?: string) {
  const names = values.map((each) => each || "''")
  const all = names.length === 1 ? `${names[0]}` : `one of ${names.join(', ')}`
  const expected = why === undefined ? all : `${all}: ${why}`
  return z.enum(values as unknown as [Values[number], ...Values[number][]], {
    error: ({ input }) => (typeof input === 'string' ? `${expected}${meantHint(input, values)}` : expected),
  })
}

export function constant<const Value extends number>(value: Value) {
  return z.literal(value, { error: String(value) })
}

export const NULL = z.null({ error: 'null' }).meta({ title: 'null' })

export const FLAG = z.boolean({ error: 'true or false' })

export function integer(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`
  return z.int({ error }).min(least, { error }).max(most, { error })
}

/** JSON of any shape. */
export const JSON_VALUE = z.unknown().meta({ title: 'any value' }) as unknown as z.ZodType<JsonValue>

/** JSON of any shape, with placeholders in its texts. */
export const TEMPLATE = template(RULES.template, { id: 'template' })

/** The same for a parameter. */
export const QUERY_VALUE = template(RULES.queryValue)

/** The same for the body of a request. */
export const BODY = TEMPLATE.check(({ value, issues }) => {
  for (const name of isJsonObject(value) ? Object.keys(value) : []) {
    const message = methodMember(name)
    const inner = [{ code: 'custom' as const, input: name, message: message ?? '', path: [] }]
    if (message !== undefined)
      issues.push({ code: 'invalid_key', origin: 'record', input: name, path: [name], issues: inner })
  }
})

function template(rule: TextRule, id: { readonly id?: string } = {}): z.ZodType<JsonValue> {
  return z
    .unknown()
    .check(({ value, issues }) => {
      issues.push(...templateProblems(value as JsonValue, rule))
    })
    .meta({
      ...id,
      title: 'any value, with placeholders',
      type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
      pattern: rule.pattern,
      items: { $ref: '#/$defs/template' },
      additionalProperties: { $ref: '#/$defs/template' },
    }) as unknown as z.ZodType<JsonValue>
}

function templateProblems(
  value: JsonValue,
  rule: TextRule,
  path: readonly PropertyKey[] = [],
): ReturnType<typeof custom>[] {
  if (typeof value === 'string') {
    const problem = textProblem(value, rule)
    return problem ? [custom(value, problem, path)] : []
  }
  if (Array.isArray(value)) return value.flatMap((each, at) => templateProblems(each, rule, [...path, at]))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => templateProblems(member, rule, [...path, name]))
}

export function list<Of extends z.ZodType>(of: Of, { least = 0, most = 1000, isSet = false } = {}) {
  const error = most === 0 ? '[]' : `a list of ${least === 0 ? 'at most' : `${least} to`} ${most}`
  return z
    .array(of, { error })
    .min(least, { error })
    .max(most, { error })
    .check(({ value, issues }) => {
      for (const [at, each] of isSet ? value.entries() : [])
        if (value.indexOf(each) < at)
          issues.push(
            custom(each, { message: `${short(String(each))} is there already, expected it once`, at: 0 }, [at]),
          )
    })
    .meta({ ...(isSet && { uniqueItems: true }) })
}

function takesNull(of: z.ZodType): boolean {
  return of.safeParse(null).success
}

/** Members with names of the user. Null removes one, unless it is a value of the member. */
export function map<Of extends z.ZodType>(names: z.ZodString, of: Of) {
  const isNullKept = takesNull(of)
  return z
    .record(names, isNullKept ? of : of.nullable(), { error: 'a map of names to values' })
    .transform((members) => {
      const given = Object.entries(members).filter(([, value]) => value !== null || isNullKept)
      return Object.fromEntries(given) as Record<string, z.output<Of>>
    })
}

/** A line for each unknown name; `expected` in place of a map. */
function unknownKeys(what: string, known: readonly string[], expected: string) {
  const line = (key: string) =>
    `${JSON.stringify(key)} is not ${what}, expected one of ${known.join(', ')}${meantHint(key, known)}`
  return (issue: z.core.$ZodRawIssue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map(line).join('\n') : expected
}

/** A member that must be there. `about`: what it means, in help and in editors. */
export function required<Of extends z.ZodType>(about: string, of: Of): Of {
  return of.meta({ description: about })
}

type Optional<Of extends z.ZodType> = z.ZodOptional<z.ZodNullable<Of>>

type Member<Of extends z.ZodType, Value> = z.ZodPipe<Optional<Of>, z.ZodTransform<Value, z.output<Optional<Of>>>>

/** A member that may be absent, and then is `usual`. Null is absent too, unless it is a value of the member. */
export function member<Of extends z.ZodType>(about: string, of: Of): Member<Of, z.output<Of> | undefined>
export function member<Of extends z.ZodType>(about: string, of: Of, usual: z.input<Of>): Member<Of, z.output<Of>>
export function member(about: string, of: z.ZodType, usual?: unknown): z.ZodType {
  const value = usual === undefined ? undefined : of.parse(usual)
  const isNullKept = takesNull(of)
  const isAbsent = (given: unknown) => given === undefined || (given === null && !isNullKept)
  return (isNullKept ? of.optional() : of.nullish())
    .transform((given) => (isAbsent(given) ? value : given))
    .meta({ description: about })
}

/** What is wrong in an object, and was expected; at a path of it, else at the object. */
type Wrong = { readonly message: string; readonly at?: readonly string[] } | undefined

interface Rules<Value> {
  /** At least one of these members. */
  readonly some?: readonly string[]
  /** Members that exclude each other. */
  readonly oneOf?: readonly string[]
  /** Members that have a meaning beside another one alone. */
  readonly needs?: Readonly<Record<string, string>>
  /** What JSON Schema cannot say. */
  readonly check?: (value: Value) => Wrong
}

/** Every member is named; any other is a mistake. `name`: that of its definition in the JSON Schema. */
export function object<Members extends z.ZodRawShape>(
  name: string,
  members: Members,
  { some = [], oneOf = [], needs = {}, check }: Rules<z.output<z.ZodObject<Members>>> = {},
) {
  const known = Object.keys(members)
  const words = `"${name.replaceAll('_', ' ')}"`
  return z
    .strictObject(members, { error: unknownKeys(`a member of ${words}`, known, `a map with ${known.join(', ')}`) })
    .check(({ value, issues }) => {
      const has = (key: string) => (value as Record<string, unknown>)[key] !== undefined
      const both = oneOf.filter(has)
      const lacking = Object.entries(needs).filter(([key, needed]) => has(key) && !has(needed))
      const found: Wrong[] = [
        some.length === 0 || some.some(has)
          ? undefined
          : { message: `${words} has none of ${some.join(', ')}, expected one` },
        both.length < 2 ? undefined : { message: `${words} has ${both.join(' and ')}, expected one of them` },
        ...lacking.map(([key, needed]) => ({ message: `${words} has ${key}, expected ${needed} with it` })),
        check?.(value as z.output<z.ZodObject<Members>>),
      ]
      for (const wrong of found) if (wrong) issues.push(custom(value, { ...wrong, at: 0 }, wrong.at))
    })
    .meta({
      id: name,
      ...(some.length > 0 && { anyOf: some.map((each) => having(each)) }),
      ...(oneOf.length > 0 && { not: having(...oneOf) }),
      ...(Object.keys(needs).length > 0 && {
        dependentRequired: Object.fromEntries(Object.entries(needs).map(([key, needed]) => [key, [needed]])),
      }),
    })
}

/** In JSON Schema: an object with these members. */
export function having(...names: readonly string[]) {
  return {
    type: 'object' as const,
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    required: [...names],
  }
}
