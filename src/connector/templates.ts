import { CrmError } from '../core/errors.ts'
import { isHeaderValue } from '../core/http-rules.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import { shellWord } from '../core/shell-words.ts'
import { ConnectorMistake, setMember } from './paths.ts'

/** What placeholders stand for, by their whole name (`id`, `parent`, `parent.contact_id`); undefined is absent. */
export type TemplateValues = Readonly<Record<string, JsonValue | undefined>>

type Part = string | Placeholder

interface Placeholder {
  readonly placeholder: string
  /** The value is written as a literal of this language. */
  readonly language: Language | undefined
}

type Compiled =
  | { readonly type: 'constant'; readonly value: JsonValue }
  | { readonly type: 'text'; readonly parts: readonly Part[] }
  | { readonly type: 'list'; readonly elements: readonly Compiled[] }
  | { readonly type: 'object'; readonly members: readonly (readonly [string, Compiled])[] }

type Language = keyof typeof LITERALS

export interface Template {
  readonly source: JsonValue
  readonly compiled: Compiled
}

/** A brace that stands for itself, a placeholder, or a brace that begins none. */
const BRACE = /\{\{|\{([A-Za-z_][\w-]*(?:\.[\w-]+)*)(?:\|(soql|sql))?\}|\{/g

/** Compiles JSON whose texts hold placeholders; ConnectorMistake with the position in the text that cannot be compiled. */
export function compileTemplate(source: JsonValue): Template {
  return { source, compiled: compiled(source) }
}

function compiled(source: JsonValue): Compiled {
  if (typeof source === 'string') {
    const parts = partsOf(source)
    const isConstant = parts.every((part) => typeof part === 'string')
    return isConstant ? { type: 'constant', value: parts.join('') } : { type: 'text', parts }
  }
  if (Array.isArray(source)) return { type: 'list', elements: source.map(compiled) }
  if (!isJsonObject(source)) return { type: 'constant', value: source }
  return { type: 'object', members: Object.entries(source).map(([name, value]) => [name, compiled(value)]) }
}

/** `{{` is a brace; so is `}` outside of a placeholder. */
function partsOf(text: string): readonly Part[] {
  const parts: Part[] = []
  let literal = ''
  let from = 0
  for (const { 0: found, 1: placeholder, 2: language, index } of text.matchAll(BRACE)) {
    if (found === '{')
      throw new ConnectorMistake(
        '{ begins no placeholder',
        'a name followed by }, such as {id}, or {{ for a brace',
        index,
      )
    literal += text.slice(from, index)
    from = index + found.length
    if (placeholder === undefined) literal += '{'
    else {
      if (literal !== '') parts.push(literal)
      literal = ''
      parts.push({ placeholder, language: language as Language | undefined })
    }
  }
  literal += text.slice(from)
  return literal === '' && parts.length > 0 ? parts : [...parts, literal]
}

/** The names of the placeholders, without repetition. */
export function placeholdersOf({ compiled }: Template): readonly string[] {
  return [...new Set(namesIn(compiled))]
}

function namesIn(compiled: Compiled): readonly string[] {
  if (compiled.type === 'constant') return []
  if (compiled.type === 'list') return compiled.elements.flatMap(namesIn)
  if (compiled.type === 'object') return compiled.members.flatMap(([, member]) => namesIn(member))
  return compiled.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.placeholder]))
}

/**
 * The JSON with its values. A text that is one placeholder becomes the value itself; in a longer text values are inserted as
 * text. A text with an absent value, and there with null, is left out of its object or list; undefined when it is the whole.
 */
export function fill({ compiled }: Template, values: TemplateValues): JsonValue | undefined {
  return filled(compiled, values)
}

function filled(compiled: Compiled, values: TemplateValues): JsonValue | undefined {
  if (compiled.type === 'constant') return compiled.value
  if (compiled.type === 'list') {
    return compiled.elements.map((element) => filled(element, values)).filter((value) => value !== undefined)
  }
  if (compiled.type === 'object') {
    const object: JsonObject = {}
    for (const [name, member] of compiled.members) {
      const value = filled(member, values)
      if (value !== undefined) setMember(object, name, value)
    }
    return object
  }
  const [first] = compiled.parts
  if (compiled.parts.length === 1 && typeof first === 'object') return filledValue(first, values)
  return joined(compiled.parts, (part) => textOf(filledValue(part, values)))
}

/** Undefined when a part is. */
function joined(parts: readonly Part[], textOfPart: (part: Placeholder) => string | undefined): string | undefined {
  let text = ''
  for (const part of parts) {
    const piece = typeof part === 'string' ? part : textOfPart(part)
    if (piece === undefined) return undefined
    text += piece
  }
  return text
}

function filledValue({ placeholder, language }: Placeholder, values: TemplateValues): JsonValue | undefined {
  const value = valueNamed(values, placeholder)
  return language && value !== undefined ? literalOf(value, LITERALS[language]) : value
}

const SOQL_ESCAPES: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\f': 'f' }

/** The inside of a literal, of which no quotation mark is the end. */
const LITERALS = {
  soql: (text: string) => text.replace(/[\\'\n\r\t\f]/g, (mark) => `\\${SOQL_ESCAPES[mark] ?? mark}`),
  // COQL of Zoho has no other escape.
  sql: (text: string) => text.replaceAll("'", "''"),
} as const

/** Of a list, each element. */
function literalOf(value: JsonValue, inside: (text: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((each) => literalOf(each, inside))
  return typeof value === 'string' ? `'${inside(value)}'` : value
}

function valueNamed(values: TemplateValues, name: string): JsonValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  const parts = Array.isArray(value) ? value.map((each) => idText(each)) : []
  const isList = parts.length > 0 && parts.every((part) => part !== undefined)
  return idText(value) ?? (isList ? parts.join(',') : JSON.stringify(value))
}

/** As a text, for a header or a parameter; empty when a value of it is absent or null. */
export function fillText({ compiled }: Template, values: TemplateValues): string {
  return textOf(filled(compiled, values)) ?? ''
}

/** A URL path: each value is encoded, so that it stays within its segment. CrmError `invalid_input` for `.`, `..` and none. */
export function fillPath(template: Template, values: TemplateValues): string {
  return filledText(template, (name) => {
    const value = valueNamed(values, name)
    const text = idText(value)
    if (text !== undefined && text !== '' && text !== '.' && text !== '..' && text.isWellFormed()) {
      return encodeURIComponent(text)
    }
    const shown = value === undefined ? 'absent' : JSON.stringify(value)
    throw new CrmError('invalid_input', `${name} is ${shown}, expected a text for the path ${template.source}`, {
      hint: 'ids are texts without control characters, other than . and ..',
    })
  })
}

const HOST_PART = /^[A-Za-z0-9-]{1,63}$/

/** Scheme and host with the variables of a profile; CrmError `invalid_input` for a value that is no part of a host name. */
export function fillHost(template: Template, values: TemplateValues): string {
  return filledText(template, (name) => {
    const value = valueNamed(values, name)
    if (typeof value === 'string' && HOST_PART.test(value)) return value
    const near = nearest(name, Object.keys(values))
    const other = near === undefined ? '' : `, and ${near} has one`
    const what =
      value === undefined ? `the variable ${name} has no value${other}` : `${name} is ${JSON.stringify(value)}`
    throw new CrmError(
      'invalid_input',
      `${what}, expected 1 to 63 letters, digits and hyphens for ${template.source}`,
      {
        hint: `set it: CRM_CONNECTOR_VARS=${variablesHint(template, values, [name, near])}`,
      },
    )
  })
}

/** All of them in one text, since it is replaced whole: those that are right with their value. */
function variablesHint(template: Template, values: TemplateValues, wrong: readonly (string | undefined)[]): string {
  const right = Object.entries(values).filter(([name]) => !wrong.includes(name))
  const others = placeholdersOf(template).filter((name) => wrong.includes(name) || !Object.hasOwn(values, name))
  return shellWord([...right, ...others.map((name) => [name, 'VALUE'])].map((pair) => pair.join('=')).join(','))
}

/** The variables with which the template is this origin; undefined if it is another one. */
export function readHost({ compiled }: Template, origin: string): Readonly<Record<string, string>> | undefined {
  const parts = compiled.type === 'text' ? compiled.parts : compiled.type === 'constant' ? [String(compiled.value)] : []
  const pattern = parts.map((part) =>
    typeof part === 'string'
      ? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      : `(?<${part.placeholder}>[A-Za-z0-9-]{1,63})`,
  )
  const match = new RegExp(`^${pattern.join('')}$`, 'i').exec(origin)
  return match ? { ...match.groups } : undefined
}

function filledText({ compiled }: Template, textOfName: (name: string) => string): string {
  if (compiled.type === 'text') return joined(compiled.parts, ({ placeholder }) => textOfName(placeholder)) ?? ''
  return compiled.type === 'constant' && typeof compiled.value === 'string' ? compiled.value : ''
}

/** The value, which may hold the key and is not shown. CrmError `invalid_input` for one that no header carries. */
export function headerText(name: string, value: string): string {
  if (isHeaderValue(value)) return value
  throw new CrmError(
    'invalid_input',
    `a value for the header ${name} of the connector has characters that it cannot carry`,
    {
      hint: 'expected ASCII characters without line ends; CRM_CONNECTOR_VARS=NAME=VALUE replaces the value of a variable',
    },
  )
}
