/** The members of an object, in the order sent. */
export type Members = ReadonlyMap<string, JsonNode>

/**
 * A JSON value that is not converted to JavaScript: an object is its members, any other value its text without white space.
 * Numbers keep all digits and members keep their order, and a member named `__proto__` is ordinary data.
 */
export type JsonNode = string | Members

/** Nesting of arrays and objects; RFC 8259 section 9 allows a parser to limit it. */
const MAX_DEPTH = 100

export type JsonFault = 'malformed' | 'duplicate_name' | 'too_deep' | 'out_of_range' | 'lone_surrogate'

const MAX_SHOWN_NAME = 80

export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'
  readonly fault: JsonFault
  /** Counted in characters from 0. */
  readonly position: number

  constructor(fault: JsonFault, message: string, position: number) {
    super(message)
    this.fault = fault
    this.position = position
  }
}

interface Reader {
  readonly text: string
  readonly isSent: boolean
  at: number
}

/**
 * Throws a JsonTextError for anything but one JSON value (RFC 8259), for a number beyond the range of a double, and for a
 * duplicate member name, which parsers read differently (forbidden by RFC 7493 section 2.3).
 */
export function parseJsonText(text: string): JsonNode {
  return parseWhole({ text, isSent: false, at: 0 })
}

/**
 * Like parseJsonText, and rejects a lone surrogate, on which many readers fail (RFC 8259 section 8.2, RFC 7493 section 2.1).
 * Only for received text, as stored records may contain one.
 */
export function parseSentJson(text: string): JsonNode {
  return parseWhole({ text, isSent: true, at: 0 })
}

function parseWhole(reader: Reader): JsonNode {
  const node = readNode(reader, 0)
  skipSpace(reader)
  if (reader.at < reader.text.length) throw malformed(reader, 'expected the end')
  return node
}

export function nodeText(node: JsonNode): string {
  if (typeof node === 'string') return node
  let text = ''
  for (const [name, value] of node) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${nodeText(value)}`
  return `{${text}}`
}

function readNode(reader: Reader, depth: number): JsonNode {
  skipSpace(reader)
  const first = reader.text[reader.at]
  if (depth > MAX_DEPTH) throw new JsonTextError('too_deep', `more than ${MAX_DEPTH} levels deep`, reader.at)
  if (first === '{') return readObject(reader, depth)
  if (first === '[') return readArray(reader, depth)
  if (first === '"') return readString(reader)
  if (first === 't') return readLiteral(reader, 'true')
  if (first === 'f') return readLiteral(reader, 'false')
  if (first === 'n') return readLiteral(reader, 'null')
  return readNumber(reader)
}

function readObject(reader: Reader, depth: number): Members {
  const members = new Map<string, JsonNode>()
  reader.at += 1
  if (skipTo(reader, '}')) return members
  for (;;) {
    skipSpace(reader)
    if (reader.text[reader.at] !== '"') throw malformed(reader, 'expected a member name in double quotes')
    const nameAt = reader.at
    const name = stringValue(readString(reader))
    if (members.has(name)) throw duplicateName(name, nameAt)
    if (!skipTo(reader, ':')) throw malformed(reader, 'expected a colon')
    members.set(name, readNode(reader, depth + 1))
    if (skipTo(reader, '}')) return members
    if (!skipTo(reader, ',')) throw malformed(reader, 'expected a comma or the end of the object')
  }
}

function readArray(reader: Reader, depth: number): string {
  const items: string[] = []
  reader.at += 1
  if (skipTo(reader, ']')) return '[]'
  for (;;) {
    items.push(nodeText(readNode(reader, depth + 1)))
    if (skipTo(reader, ']')) return `[${items.join(',')}]`
    if (!skipTo(reader, ',')) throw malformed(reader, 'expected a comma or the end of the array')
  }
}

/** Escapes are normalised to the form of JSON.stringify, so that equal strings have equal texts. */
function readString(reader: Reader): string {
  const { text } = reader
  const start = reader.at
  let hasEscape = false
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at)
    reader.at = at
    if (code === 0x22) break
    if (code === 0x5c) {
      hasEscape = true
      at += escapeLength(reader)
    } else if (!(code >= 0x20)) throw malformed(reader, 'expected the end of the string')
  }
  reader.at += 1
  const raw = text.slice(start, reader.at)
  if (!hasEscape) return raw
  const value = JSON.parse(raw) as string
  if (reader.isSent && !value.isWellFormed()) {
    throw new JsonTextError('lone_surrogate', 'the string contains a lone surrogate', start)
  }
  return JSON.stringify(value)
}

function stringValue(text: string): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
}

function escapeLength(reader: Reader): number {
  const next = reader.text[reader.at + 1] ?? ''
  if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(reader.text.slice(reader.at + 2, reader.at + 6))) return 5
  if (next === '' || !'"\\/bfnrt'.includes(next)) throw malformed(reader, 'unknown escape')
  return 1
}

function readLiteral(reader: Reader, literal: string): string {
  if (!reader.text.startsWith(literal, reader.at)) throw malformed(reader, 'expected a value')
  reader.at += literal.length
  return literal
}

function readNumber(reader: Reader): string {
  const start = reader.at
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  number.lastIndex = start
  const text = number.exec(reader.text)?.[0]
  if (text === undefined) throw malformed(reader, 'expected a value')
  if (!Number.isFinite(Number(text))) throw new JsonTextError('out_of_range', 'a number is too large', start)
  reader.at += text.length
  return text
}

function skipSpace(reader: Reader): void {
  for (;;) {
    const code = reader.text.charCodeAt(reader.at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    reader.at += 1
  }
}

function skipTo(reader: Reader, mark: string): boolean {
  skipSpace(reader)
  if (reader.text[reader.at] !== mark) return false
  reader.at += 1
  return true
}

function duplicateName(name: string, position: number): JsonTextError {
  const shown = JSON.stringify(name.slice(0, MAX_SHOWN_NAME))
  return new JsonTextError('duplicate_name', `duplicate member ${shown}`, position)
}

function malformed(reader: Reader, message: string): JsonTextError {
  return new JsonTextError('malformed', message, reader.at)
}
