import { foldedText } from '../../core/folded-text.ts'
import { type Members, parseJsonText } from '../json-text.ts'

/** The normalised values of the unique members of a record, without null, blank text, lists and objects. */
export function uniqueValues(text: string, members: readonly string[]): ReadonlyMap<string, string> {
  const fields = parseJsonText(text) as Members
  const values = new Map<string, string>()
  for (const member of members) {
    const node = fields.get(member)
    const value = typeof node === 'string' ? comparedValue(node) : undefined
    if (value !== undefined) values.set(member, value)
  }
  return values
}

/** The normalised value of a member; a number and text with the same digits are equal. */
function comparedValue(node: string): string | undefined {
  if (node.startsWith('"')) return foldedText(JSON.parse(node) as string)
  return /^[-\d]/.test(node) ? node : undefined
}
