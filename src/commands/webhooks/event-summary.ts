import { idText, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { EventBody } from '../../core/webhook-events.ts'
import { safeText } from '../../output/safe-text.ts'
import { fitText } from '../../output/terminal-text.ts'

/** Members that identify a record for a person. */
const IDENTIFYING = ['name', 'email', 'amount', 'stage', 'body', 'message'] as const
const WIDEST_VALUE = 48
const MAX_CHANGES = 8

/** The changes of an update, or the identifying members of the record; safe to show. */
export function summarise(body: EventBody): string {
  if (body.type !== 'json') {
    const sizeBytes = body.type === 'text' ? Buffer.byteLength(body.text) : body.bytes.length
    return `${sizeBytes} bytes, not read as JSON`
  }
  if (!isJsonObject(body.value)) return valueText(body.value)
  const { data, previous } = body.value
  if (!isJsonObject(data)) return ''
  return isJsonObject(previous) ? changes(data, previous) : facts(data)
}

/** Foreign text for a cell. Truncated before it is measured: a body may be a text of 1 MiB. */
export function shortForeignText(text: string): string {
  return fitText(safeText(text.slice(0, WIDEST_VALUE * 4)), WIDEST_VALUE)
}

function changes(data: JsonObject, previous: JsonObject): string {
  const names = Object.keys(previous).filter((name) => name !== 'updated_at' && name !== 'version')
  const shown = names
    .slice(0, MAX_CHANGES)
    .map((name) => `${shortForeignText(name)}: ${valueText(previous[name])} -> ${valueText(memberOf(data, name))}`)
  return [...shown, ...(names.length > MAX_CHANGES ? ['…'] : [])].join(', ')
}

function facts(data: JsonObject): string {
  return IDENTIFYING.map((name) => memberOf(data, name))
    .filter((value) => value !== undefined && value !== null && value !== '')
    .map(valueText)
    .join(', ')
}

function memberOf(data: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(data, name) ? data[name] : undefined
}

/** Lists and objects are counted, not shown: deeply nested ones cannot be written as JSON. */
function valueText(value: JsonValue | undefined): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (Array.isArray(value)) return `[${value.length} items]`
  if (isJsonObject(value)) return `{${Object.keys(value).length} members}`
  return shortForeignText(idText(value) ?? String(value))
}
