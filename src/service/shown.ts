import { type JsonNode, jsonText } from './json-text.ts'

const MAX_SHOWN = 80

/** A text that was sent, quoted for a message and cut where it would drown it. */
export function shownText(text: string, maxLength: number = MAX_SHOWN): string {
  return text.length <= maxLength ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, maxLength))}…`
}

/** A value of a body that was sent, in the same way. */
export function shownValue(value: JsonNode): string {
  const text = jsonText(value)
  if (text.startsWith('"')) return shownText(JSON.parse(text) as string)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}
