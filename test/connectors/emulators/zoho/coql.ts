// What COQL has of one module: SELECT fields FROM module WHERE field = 'v', IN or IS NOT NULL, LIMIT and OFFSET. A quotation mark
// in a text is doubled.

import type { Row } from '../emulator.ts'
import type { Field, Module } from './modules.ts'
import { refuse } from './rules.ts'

const COLUMNS_MAX = 50
const VALUES_MAX = 50
const LIMIT_MAX = 2000

export interface Query {
  readonly module: Module
  readonly fields: readonly string[]
  readonly rows: readonly Row[]
  readonly hasMore: boolean
}

function malformed(near: string): never {
  return refuse(400, 'SYNTAX_ERROR', 'missing clause or unexpected token', { near: near.slice(0, 20) })
}

const LITERAL = String.raw`(?:'(?:[^']|'')*'|\d+)`

const PATTERN = new RegExp(
  [
    String.raw`^\s*select\s+(?<columns>[\w.,\s]+?)\s+from\s+(?<from>\w+)\s+where\s+(?<field>\w+)\s+`,
    String.raw`(?<test>is\s+not\s+null|=\s*${LITERAL}|in\s*\(\s*${LITERAL}(?:\s*,\s*${LITERAL})*\s*\))`,
    String.raw`(?:\s+limit\s+(?<limit>\d+))?(?:\s+offset\s+(?<offset>\d+))?\s*$`,
  ].join(''),
  'i',
)

export function runQuery(text: unknown, found: (name: string) => { module: Module; rows: readonly Row[] }): Query {
  if (typeof text !== 'string') return refuse(400, 'MANDATORY_NOT_FOUND', 'required field not found')
  const groups = PATTERN.exec(text)?.groups ?? malformed(text)
  const { columns = '', from = '', field: name = '', test = '', limit = '200', offset = '0' } = groups
  const { module, rows } = found(from)
  const fields = columns.split(',').map((column) => columnOf(module, column.trim()))
  if (fields.length > COLUMNS_MAX) refuse(400, 'LIMIT_EXCEEDED', 'maximum columns exceeded', { limit: COLUMNS_MAX })
  if (Number(limit) > LIMIT_MAX) refuse(400, 'LIMIT_EXCEEDED', 'maximum limit exceeded', { limit: LIMIT_MAX })
  const column = columnOf(module, name)
  if (module.fields[column]?.data_type === 'textarea')
    refuse(400, 'INVALID_QUERY', 'data type not supported', { column_name: column })
  const values = /^is/i.test(test) ? undefined : valuesIn(test)
  if (values && values.length > VALUES_MAX) refuse(400, 'LIMIT_EXCEEDED', 'too many values', { limit: VALUES_MAX })
  const wanted = values && new Set(values)
  const all = rows.filter((row) => {
    const held = comparable(row[column], module.fields[column])
    return held !== undefined && (wanted === undefined || wanted.has(held))
  })
  const end = Number(offset) + Number(limit)
  return { module, fields, rows: all.slice(Number(offset), end), hasMore: all.length > end }
}

function columnOf({ fields, api_name }: Module, name: string): string {
  if (Object.hasOwn(fields, name)) return name
  return refuse(400, 'INVALID_QUERY', 'column given seems to be invalid', { column_name: name, module: api_name })
}

function valuesIn(test: string): readonly string[] {
  const literals = test.match(new RegExp(LITERAL, 'g')) ?? []
  return literals.map((each) => each.replace(/^'|'$/g, '').replaceAll("''", "'").toLowerCase())
}

/** Texts are compared without case; a look-up is compared by its id. */
function comparable(value: unknown, field: Field | undefined): string | undefined {
  if (value === null || value === undefined) return undefined
  const isLookup = field?.data_type === 'lookup' || field?.data_type === 'ownerlookup'
  return String(isLookup ? (value as Row).id : value).toLowerCase()
}
