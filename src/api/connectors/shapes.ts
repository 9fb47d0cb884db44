import { HEADER_NAME } from '../../core/http-rules.ts'

/** What a text of a connector is, beyond being one. */
export const TEXT_FORMATS = [
  'any',
  'path',
  'template',
  'header-name',
  'header-value',
  'parameter',
  'url-path',
  'origin',
  'duration',
  'pattern',
  'resource',
  'field',
  'variable',
  'connector',
] as const

export type TextFormat = (typeof TEXT_FORMATS)[number]

/** The shape of a value: the loader checks it, and the JSON Schema is made from it. */
export type Shape =
  | { readonly type: 'text'; readonly format: TextFormat | TextRule }
  | { readonly type: 'choice'; readonly of: readonly string[] }
  /** This value alone. */
  | { readonly type: 'constant'; readonly value: number | null }
  | { readonly type: 'flag' }
  | { readonly type: 'integer'; readonly least: number; readonly most: number }
  /** JSON of any shape; with templates in its texts or without. */
  | { readonly type: 'json'; readonly isTemplate: boolean }
  | { readonly type: 'list'; readonly of: Shape; readonly least: number; readonly most: number }
  /** Members with names of the user. */
  | { readonly type: 'map'; readonly of: Shape; readonly names: TextFormat }
  | ObjectShape
  /** The first one of the same JSON type counts. */
  | { readonly type: 'either'; readonly of: readonly Shape[] }

export interface ObjectShape {
  readonly type: 'object'
  /** Of the definition in the schema. */
  readonly name: string
  readonly members: Readonly<Record<string, Shape>>
  readonly required: readonly string[]
  /** At least one member of each list. */
  readonly some: readonly (readonly string[])[]
  /** Members that exclude each other. */
  readonly oneOf: readonly string[]
}

export function text(format: TextFormat | TextRule): Shape {
  return { type: 'text', format }
}

export function choice(of: readonly string[]): Shape {
  return { type: 'choice', of }
}

export function constant(value: number | null): Shape {
  return { type: 'constant', value }
}

export const FLAG: Shape = { type: 'flag' }

export const JSON_VALUE: Shape = { type: 'json', isTemplate: false }

export const TEMPLATE: Shape = { type: 'json', isTemplate: true }

export function integer(least: number, most: number): Shape {
  return { type: 'integer', least, most }
}

export function list(of: Shape, { least = 0, most = 1000 }: { least?: number; most?: number } = {}): Shape {
  return { type: 'list', of, least, most }
}

export function map(names: TextFormat, of: Shape): Shape {
  return { type: 'map', names, of }
}

export function either(...of: readonly Shape[]): Shape {
  return { type: 'either', of }
}

type Rules = Partial<Pick<ObjectShape, 'required' | 'some' | 'oneOf'>>

export function object(name: string, members: ObjectShape['members'], rules: Rules = {}): ObjectShape {
  return { type: 'object', name, members, required: [], some: [], oneOf: [], ...rules }
}

/** Regular expressions of the formats, without flags but `u`, as JSON Schema has them. */
const NAME = String.raw`(?:[^.\[\]\\]|\\.)+`
const BRACKET = String.raw`\[(?:|\d{1,6}|(?:[^=\[\]\\]|\\.)+=(?:[^\[\]\\]|\\.)*)\]`
const PLACEHOLDER = String.raw`\{[A-Za-z_][\w\-]*(?:\.[\w\-]+)*\}`

/** Of a text in a file that is no connector. */
export interface TextRule {
  /** Undefined: any text. */
  readonly pattern?: string
  readonly expected: string
}

export const FORMATS: Readonly<Record<TextFormat, TextRule>> = {
  any: { expected: 'a text' },
  path: {
    pattern: String.raw`^(?:\.|(?:${NAME}|${BRACKET})(?:\.${NAME}|${BRACKET})*)$`,
    expected: 'a path such as data[].name',
  },
  template: { pattern: String.raw`^(?:[^{]|\{\{|${PLACEHOLDER})*$`, expected: 'a text with placeholders such as {id}' },
  'header-name': { pattern: HEADER_NAME, expected: 'the name of a header, such as X-Version' },
  'header-value': {
    pattern: String.raw`^(?:[\t\x20-\x7a|}~]|\{\{|${PLACEHOLDER})*$`,
    expected: 'ASCII characters without line ends and control characters',
  },
  parameter: {
    pattern: String.raw`^[^\s\u0000-\u001f\u007f-\u009f\ud800-\udfff]+$`,
    expected: 'the name of a parameter, without blanks and control characters',
  },
  // RFC 3986 section 3.3. Servers take %2e for a dot.
  'url-path': {
    pattern: String.raw`^(?!(?:.*/)?(?:\.|%2[Ee]){1,2}(?:/|$))(?!.*//)(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2}|${PLACEHOLDER})*$`,
    expected: 'a path without //, ?, # and .., other characters encoded as in %20, such as /contacts/{id}',
  },
  origin: {
    pattern: String.raw`^https?://(?:[A-Za-z0-9.\-]|\{[a-z][a-z0-9_]*\})+(?::\d{1,5})?$`,
    expected: 'scheme and host, such as https://{company}.example.com',
  },
  duration: {
    pattern: String.raw`^\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d)$`,
    expected: 'a time with its unit, such as 10s',
  },
  pattern: { expected: 'a regular expression' },
  resource: { expected: 'a resource' },
  field: { pattern: '^[a-z][a-z0-9_]{0,63}$', expected: 'a name of small letters, digits and _' },
  variable: { pattern: '^[a-z][a-z0-9_]{0,31}$', expected: 'a name of small letters, digits and _' },
  connector: { pattern: '^[a-z0-9][a-z0-9.\\-]{0,63}$', expected: 'a name of small letters, digits and hyphens' },
}

export function ruleOf(format: TextFormat | TextRule): TextRule {
  return typeof format === 'string' ? FORMATS[format] : format
}
