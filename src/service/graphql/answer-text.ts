import { exactDigits } from '../../core/exact-json.ts'
import { JsonValueText } from './json-value.ts'

/** JSON of an answer with texts that are JSON already, which are inserted unchanged. */
export function answerText(value: unknown): string {
  if (value instanceof JsonValueText) return value.text
  if (Array.isArray(value)) return listText(value)
  return isPlain(value) ? objectText(value) : JSON.stringify(value)
}

function listText(values: readonly unknown[]): string {
  let text = ''
  for (const value of values) text += `${text === '' ? '' : ','}${answerText(value)}`
  return `[${text}]`
}

function objectText(value: object): string {
  let text = ''
  for (const name in value) {
    const member = value[name as keyof typeof value]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${answerText(member)}`
  }
  return `{${text}}`
}

/** The executor makes objects without a prototype, and so does JSON.rawJSON, whose digits JSON.stringify writes. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && exactDigits(value) === undefined
}
