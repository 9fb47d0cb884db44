import { exactDigits } from '../../core/exact-json.ts'
import { JsonValueText } from './json-value.ts'

/** JSON of an answer that holds texts which are JSON already: they are put in as they are. */
export function answerText(value: unknown): string {
  if (value instanceof JsonValueText) return value.text
  if (Array.isArray(value)) return `[${value.map(answerText).join(',')}]`
  if (typeof value !== 'object' || value === null || exactDigits(value) !== undefined) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${answerText(member)}`).join(',')}}`
}
