import { type Answer, type Call, Refusal, type Row } from '../emulator.ts'

/** Of one row in a collection, where its code is `statusCode`; alone, it is `errorCode`. */
export interface RowError {
  readonly statusCode: string
  readonly message: string
  readonly fields: readonly string[]
}

export function rowError(statusCode: string, message: string, fields: readonly string[] = []): RowError {
  return { statusCode, message, fields }
}

/** A refusal is a list, also of one error. */
export function failure(status: number, errorCode: string, message: string, others: Row = {}): Answer {
  return { status, body: [{ message, errorCode, ...others }] }
}

export function refuse(status: number, errorCode: string, message: string, others?: Row): never {
  throw new Refusal(failure(status, errorCode, message, others))
}

export function notFound(message = 'The requested resource does not exist'): never {
  return refuse(404, 'NOT_FOUND', message)
}

/** The refusal of a single record. */
export function refuseRow({ statusCode, message, fields }: RowError): never {
  return refuse(statusCode === 'ENTITY_IS_DELETED' ? 404 : 400, statusCode, message, { fields })
}

export function bodyOf({ body }: Call): Row {
  if (body.type === 'json' && typeof body.value === 'object' && body.value !== null && !Array.isArray(body.value))
    return body.value as Row
  const message = 'The HTTP entity body is required, but this request has no entity body.'
  return refuse(400, 'JSON_PARSER_ERROR', body.type === 'none' ? message : 'Unexpected character in the entity body')
}

/** Its zone has no colon. */
export function timeText(ms = Date.now()): string {
  return new Date(ms).toISOString().replace('Z', '+0000')
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const SUFFIXES = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'

/** The 15 characters of a record, which differ in case, and three that say which of them are capitals. */
export function idOf(keyPrefix: string, n: number): string {
  let count = ''
  for (let rest = n; rest > 0; rest = Math.floor(rest / DIGITS.length)) count = DIGITS[rest % DIGITS.length] + count
  return fullId(`${keyPrefix}5g00000${count.padStart(5, '0')}`)
}

/** Ids are taken with 15 characters as with 18; undefined for what is none. */
export function idIn(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^(?:[A-Za-z0-9]{15}|[A-Za-z0-9]{18})$/.test(text)) return undefined
  const full = fullId(text.slice(0, 15))
  return text.length === 15 || text === full ? full : undefined
}

function fullId(short: string): string {
  const suffixes = [0, 5, 10].map((from) => {
    const bits = [...short.slice(from, from + 5)].map((char, at) => (/[A-Z]/.test(char) ? 2 ** at : 0))
    return SUFFIXES[bits.reduce((sum, bit) => sum + bit, 0)]
  })
  return short + suffixes.join('')
}
