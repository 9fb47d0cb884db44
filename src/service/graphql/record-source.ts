import type { JsonObject } from '../../core/json.ts'
import type { StoredResource } from '../../core/resources/registry.ts'
import { parseJsonText } from '../json-text.ts'

/** Of a member of the outermost object. A name that stands in the text once is found without taking it apart. */
function numberText(text: string, name: string): string | undefined {
  const mark = `"${name}":`
  const at = text.indexOf(mark)
  if (at !== text.lastIndexOf(mark)) {
    const node = parseJsonText(text)
    const member = typeof node === 'string' ? undefined : node.get(name)
    return typeof member === 'string' ? member : undefined
  }
  return /[^,}]*/y.exec(text.slice(at + mark.length))?.[0]
}

/** A record behind the fields of its type. Its text is parsed when one of them is asked for, and not for `json`. */
export class RecordSource {
  readonly kind: StoredResource
  readonly text: string
  #members: JsonObject | undefined

  constructor(kind: StoredResource, text: string) {
    this.kind = kind
    this.text = text
  }

  /** Numbers among them are JavaScript's: `writtenNumber` has the digits of one where they matter. */
  get members(): JsonObject {
    this.#members ??= JSON.parse(this.text) as JsonObject
    return this.#members
  }

  get id(): string {
    return this.members.id as string
  }

  /** The text of a member where its value does not say how it was written: 12500.50 is read as 12500.5. */
  writtenNumber(name: string): string | undefined {
    const value = this.members[name]
    if (typeof value !== 'number') return undefined
    const written = numberText(this.text, name)
    return written === JSON.stringify(value) ? undefined : written
  }
}
