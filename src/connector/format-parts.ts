import { z } from 'zod'
import { HEADER_NAME } from '../core/http-rules.ts'
import { isJsonObject, type JsonValue } from '../core/json.ts'
import { meantHint } from './located.ts'
import { ConnectorMistake, compilePath } from './paths.ts'
import { checkPattern } from './patterns.ts'
import { compileTemplate } from './templates.ts'

// The parts of which the formats of YAML files are made. The `error` of a part is what was expected, for the end of a message.

/** Regular expressions of the texts, without flags but `u`, as JSON Schema has them. */
const NAME = String.raw`(?:[^.\[\]\\]|\\.)+`
const BRACKET = String.raw`\[(?:|\d{1,6}|(?:[^=\[\]\\]|\\.)+=(?:[^\[\]\\]|\\.)*)\]`
const PLACEHOLDER = String.raw`\{[A-Za-z_][\w\-]*(?:\.[\w\-]+)*\}`

/** What a text is, beyond being one. */
interface TextRule {
  /** In help, and in editors. */
  readonly title?: string
  readonly expected: string
  readonly pattern?: string
  /** ConnectorMistake with the position of the mistake. */
  readonly compile?: (text: string) => unknown
}

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
    pattern: String.raw`^(?:[^{]|\{\{|${PLACEHOLDER})*$`,
    compile: compileTemplate,
  },
  headerName: { title: 'name of a header', expected: 'the name of a header, such as X-Version', pattern: HEADER_NAME },
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
  },
  // RFC 3986 section 3.3. Servers take %2e for a dot.
  urlPath: {
    title: 'path of a URL',
    expected: 'a path without //, ?, # and .., other characters encoded as in %20, such as /contacts/{id}',
    pattern: String.raw`^(?!(?:.*/)?(?:\.|%2[Ee]){1,2}(?:/|$))(?!.*//)(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2}|${PLACEHOLDER})*$`,
    compile: compileTemplate,
  },
  origin: {
    title: 'URL without a path',
    expected: 'scheme and host, such as https://{company}.example.com',
    pattern: String.raw`^https?://(?:[A-Za-z0-9.\-]|\{[a-z][a-z0-9_]*\})+(?::\d{1,5})?$`,
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
  variable: {
    title: 'name of a variable',
    expected: 'a name of small letters, digits and _',
    pattern: '^[a-z][a-z0-9_]{0,31}$',
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
function textProblem(text: string, { compile, pattern, expected }: TextRule): TextProblem | undefined {
  try {
    compile?.(text)
  } catch (error) {
    if (!(error instanceof ConnectorMistake)) throw error
    return { message: `in ${short(text)}, ${error.message}`, at: error.at }
  }
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) return undefined
  return { message: `${short(text)}, expected ${expected}`, at: 0 }
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

export function choice<const Values extends readonly string[]>(values: Values) {
  const names = values.map((each) => each || "''")
  const expected = names.length === 1 ? `${names[0]}` : `one of ${names.join(', ')}`
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
export const TEMPLATE = z
  .unknown()
  .check(({ value, issues }) => {
    issues.push(...templateProblems(value as JsonValue, []))
  })
  .meta({
    id: 'template',
    title: 'any value, with placeholders',
    type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
    pattern: RULES.template.pattern,
    items: { $ref: '#/$defs/template' },
    additionalProperties: { $ref: '#/$defs/template' },
  }) as unknown as z.ZodType<JsonValue>

function templateProblems(value: JsonValue, path: readonly PropertyKey[]): ReturnType<typeof custom>[] {
  if (typeof value === 'string') {
    const problem = textProblem(value, RULES.template)
    return problem ? [custom(value, problem, path)] : []
  }
  if (Array.isArray(value)) return value.flatMap((each, at) => templateProblems(each, [...path, at]))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => templateProblems(member, [...path, name]))
}

export function list<Of extends z.ZodType>(of: Of, { least = 0, most = 1000 } = {}) {
  const error = most === 0 ? '[]' : `a list of ${least === 0 ? 'at most' : `${least} to`} ${most}`
  return z.array(of, { error }).min(least, { error }).max(most, { error })
}

/** Members with names of the user. */
export function map<Of extends z.ZodType>(names: z.ZodString, of: Of) {
  return z.record(names, of, { error: 'a map of names to values' })
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

/** A member that may be absent. Null is absent too, unless it is a value of the member. */
export function member<Of extends z.ZodType>(about: string, of: Of): z.ZodExactOptional<Of> {
  return of.exactOptional().meta({ description: about })
}

interface Rules {
  /** At least one of these members. */
  readonly some?: readonly string[]
  /** Members that exclude each other. */
  readonly oneOf?: readonly string[]
  /** Members that have a meaning beside another one alone. */
  readonly needs?: Readonly<Record<string, string>>
}

/** Every member is named; any other is a mistake. `name`: that of its definition in the JSON Schema. */
export function object<Members extends z.ZodRawShape>(
  name: string,
  members: Members,
  { some = [], oneOf = [], needs = {} }: Rules = {},
) {
  const known = Object.keys(members)
  const words = `"${name.replaceAll('_', ' ')}"`
  return z
    .strictObject(members, { error: unknownKeys(`a member of ${words}`, known, `a map with ${known.join(', ')}`) })
    .check(({ value, issues }) => {
      const has = (key: string) => (value as Record<string, unknown>)[key] !== undefined
      if (some.length > 0 && !some.some(has))
        issues.push(custom(value, { message: `${words} has none of ${some.join(', ')}, expected one`, at: 0 }))
      const both = oneOf.filter(has)
      if (both.length > 1)
        issues.push(custom(value, { message: `${words} has ${both.join(' and ')}, expected one of them`, at: 0 }))
      for (const [key, needed] of Object.entries(needs)) {
        if (has(key) && !has(needed))
          issues.push(custom(value, { message: `${words} has ${key}, expected ${needed} with it`, at: 0 }))
      }
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
