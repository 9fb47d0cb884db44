import { type JsonNode, jsonText } from './json-text.ts'

const MAX_SHOWN = 80

/** A sent text, quoted and truncated for a message. */
export function shownText(text: string, maxLength: number = MAX_SHOWN): string {
  return text.length <= maxLength ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, maxLength))}…`
}

/** A sent JSON value, truncated for a message. */
export function shownValue(value: JsonNode): string {
  const text = jsonText(value)
  if (text.startsWith('"')) return shownText(JSON.parse(text) as string)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}
