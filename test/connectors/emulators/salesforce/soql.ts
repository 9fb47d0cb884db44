// What SOQL of the public documentation has of one object: SELECT fields FROM object, WHERE with AND, OR, NOT and parentheses,
// =, !=, <, <=, >, >=, LIKE, IN, NOT IN, ORDER BY, LIMIT and OFFSET.

import type { Row } from '../emulator.ts'
import type { Field, ObjectType } from './objects.ts'
import { idIn, refuse } from './rules.ts'

interface Token {
  readonly type: 'word' | 'text' | 'mark'
  readonly text: string
  /** Of a text, without quotation marks and escapes. */
  readonly value?: string
}

export interface Query {
  readonly object: ObjectType
  readonly fields: readonly string[]
  readonly rows: readonly Row[]
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
const OFFSET_MAX = 2000

function malformed(message: string): never {
  return refuse(400, 'MALFORMED_QUERY', message)
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = /\s*(?:('(?:[^'\\]|\\[\s\S])*')|([\w.:+-]+)|(<=|>=|!=|<>|[=<>(),]))/y
  while (pattern.lastIndex < text.trimEnd().length) {
    const { lastIndex } = pattern
    const match = pattern.exec(text)
    if (!match) return malformed(`unexpected token: '${text.slice(lastIndex).trim().slice(0, 20)}'`)
    const [, quoted, word, mark = ''] = match
    if (quoted !== undefined) {
      const value = quoted.slice(1, -1).replace(/\\([\s\S])/g, (_, char: string) => {
        if (!/[nrtbf"'\\_%]/i.test(char)) return malformed(`invalid string literal: illegal escape \\${char}`)
        return ESCAPES[char.toLowerCase()] ?? char
      })
      tokens.push({ type: 'text', text: quoted, value })
    } else tokens.push(word === undefined ? { type: 'mark', text: mark } : { type: 'word', text: word })
  }
  return tokens
}

type Test = (row: Row) => boolean

/** Reads one query; a refusal for what it cannot be. */
class Parser {
  readonly #tokens: Token[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  get isEnd(): boolean {
    return this.#at >= this.#tokens.length
  }

  isNext(...words: readonly string[]): boolean {
    return words.every((word, ahead) => this.#tokens[this.#at + ahead]?.text.toUpperCase() === word)
  }

  take(...words: readonly string[]): boolean {
    if (!this.isNext(...words)) return false
    this.#at += words.length
    return true
  }

  expect(word: string): void {
    if (!this.take(word)) malformed(`unexpected token: '${this.#tokens[this.#at]?.text ?? '<EOF>'}'`)
  }

  next(): Token {
    const token = this.#tokens[this.#at] ?? malformed("unexpected token: '<EOF>'")
    this.#at += 1
    return token
  }

  word(): string {
    const { type, text } = this.next()
    return type === 'word' ? text : malformed(`unexpected token: '${text}'`)
  }

  list<Of>(one: () => Of): Of[] {
    const all = [one()]
    while (this.take(',')) all.push(one())
    return all
  }
}

export function runQuery(text: string, rowsOf: (name: string) => { object: ObjectType; rows: readonly Row[] }): Query {
  const parser = new Parser(text)
  parser.expect('SELECT')
  const selected = parser.list(() => parser.word())
  parser.expect('FROM')
  const { object, rows } = rowsOf(parser.word())
  const fields = selected.map((name) => fieldNamed(object, name))
  const test = parser.take('WHERE') ? readAny(parser, object) : () => true
  const orders = parser.take('ORDER', 'BY') ? parser.list(() => readOrder(parser, object)) : []
  const limit = parser.take('LIMIT') ? readCount(parser) : undefined
  const offset = parser.take('OFFSET') ? readCount(parser) : 0
  if (offset > OFFSET_MAX) refuse(400, 'NUMBER_OUTSIDE_VALID_RANGE', `Maximum SOQL offset allowed is ${OFFSET_MAX}`)
  if (!parser.isEnd) malformed(`unexpected token: '${parser.next().text}'`)
  const found = rows.filter(test)
  // Without ORDER BY, no order is promised.
  const sorted =
    orders.length > 0 ? found.sort((a, b) => orders.map((order) => order(a, b)).find(Boolean) ?? 0) : found.reverse()
  return { object, fields, rows: sorted.slice(offset, limit === undefined ? undefined : offset + limit) }
}

function readCount(parser: Parser): number {
  const word = parser.word()
  return /^\d+$/.test(word) ? Number(word) : malformed(`unexpected token: '${word}'`)
}

/** Names are taken in any case, and shown as they are. */
export function fieldNamed({ name: entity, fields }: ObjectType, asked: string): string {
  const found = Object.hasOwn(fields, asked)
    ? asked
    : Object.keys(fields).find((name) => name.toLowerCase() === asked.toLowerCase())
  const hint = "If you are attempting to use a custom field, be sure to append the '__c' after the custom field name."
  return found ?? refuse(400, 'INVALID_FIELD', `No such column '${asked}' on entity '${entity}'. ${hint}`)
}

function readAny(parser: Parser, object: ObjectType): Test {
  const tests = [readAll(parser, object)]
  while (parser.take('OR')) tests.push(readAll(parser, object))
  return (row) => tests.some((test) => test(row))
}

function readAll(parser: Parser, object: ObjectType): Test {
  const tests = [readTest(parser, object)]
  while (parser.take('AND')) tests.push(readTest(parser, object))
  return (row) => tests.every((test) => test(row))
}

function readTest(parser: Parser, object: ObjectType): Test {
  if (parser.take('NOT')) {
    const test = readTest(parser, object)
    return (row) => !test(row)
  }
  if (parser.take('(')) {
    const test = readAny(parser, object)
    parser.expect(')')
    return test
  }
  const name = fieldNamed(object, parser.word())
  const field = object.fields[name] as Field
  if (field.type === 'textarea') refuse(400, 'INVALID_FIELD', `field '${name}' can not be filtered in a query call`)
  const literal = () => comparable(readLiteral(parser, name, field), field)
  const isNot = parser.take('NOT')
  if (parser.take('IN')) {
    parser.expect('(')
    const values = new Set(parser.list(literal))
    parser.expect(')')
    return (row) => values.has(comparable(row[name] ?? null, field)) !== isNot
  }
  if (isNot) return malformed("unexpected token: 'NOT'")
  if (parser.take('LIKE')) {
    const pattern = String(literal()).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const like = new RegExp(`^${pattern.replaceAll('%', '[^]*').replaceAll('_', '[^]')}$`)
    return (row) => like.test(String(comparable(row[name] ?? '', field)))
  }
  const mark = parser.next().text
  const compare = COMPARES[mark] ?? malformed(`unexpected token: '${mark}'`)
  const value = literal()
  return (row) => compare(comparable(row[name] ?? null, field), value)
}

type Comparable = string | number | boolean | null

const COMPARES: Readonly<Record<string, (held: Comparable, value: Comparable) => boolean>> = {
  '=': (held, value) => held === value,
  '!=': (held, value) => held !== value,
  '<>': (held, value) => held !== value,
  '<': (held, value) => held !== null && value !== null && held < value,
  '<=': (held, value) => held !== null && value !== null && held <= value,
  '>': (held, value) => held !== null && value !== null && held > value,
  '>=': (held, value) => held !== null && value !== null && held >= value,
}

const QUOTED = ['id', 'reference', 'string', 'email', 'phone', 'picklist', 'multipicklist']
const WORDS: Readonly<Record<string, RegExp>> = {
  boolean: /^(?:true|false)$/i,
  double: /^[+-]?\d+(?:\.\d+)?$/,
  int: /^[+-]?\d+$/,
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/i,
}

/** Texts and ids stand in quotation marks, and other values do not. */
function readLiteral(parser: Parser, name: string, { type }: Field): string | boolean | number | null {
  const { type: kind, text, value } = parser.next()
  if (kind === 'mark') return malformed(`unexpected token: '${text}'`)
  if (value === undefined && text.toLowerCase() === 'null') return null
  const isQuoted = QUOTED.includes(type)
  if (isQuoted !== (value !== undefined) || (!isQuoted && !WORDS[type]?.test(text))) {
    const should = isQuoted ? 'should be enclosed in quotes' : 'should not be enclosed in quotes'
    return refuse(
      400,
      'INVALID_FIELD',
      `value of filter criterion for field '${name}' must be of type ${type} and ${should}`,
    )
  }
  if (type === 'id' || type === 'reference')
    return idIn(value) ?? refuse(400, 'INVALID_QUERY_FILTER_OPERATOR', `invalid ID field: ${value}`)
  if (type === 'boolean') return text.toLowerCase() === 'true'
  return type === 'double' || type === 'int' ? Number(text) : (value ?? text)
}

/** Texts are compared without case, ids with it. */
function comparable(value: unknown, { type }: Field): Comparable {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  const text = String(value)
  if (type === 'datetime') return Date.parse(text.replace(/\+0000$/, 'Z'))
  return type === 'id' || type === 'reference' ? text : text.toLowerCase()
}

function readOrder(parser: Parser, object: ObjectType): (a: Row, b: Row) => number {
  const name = fieldNamed(object, parser.word())
  const sign = parser.take('DESC') ? -1 : 1
  if (sign === 1) parser.take('ASC')
  const isLast = parser.take('NULLS', 'LAST') || (!parser.take('NULLS', 'FIRST') && sign === -1)
  const field = object.fields[name] as Field
  return (a, b) => {
    const [one, other] = [comparable(a[name] ?? null, field), comparable(b[name] ?? null, field)]
    if (one === other) return 0
    if (one === null || other === null) return (one === null) === isLast ? 1 : -1
    return (one < other ? -1 : 1) * sign
  }
}
