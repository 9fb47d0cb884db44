import type { JsonObject } from '../../core/json.ts'
import type { StoredResource } from '../../core/resources/registry.ts'
import { parseJsonText } from '../json-text.ts'

/** The written number of a top-level member. A name that occurs once in the text is found without parsing. */
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

/** The source of a record's fields. Its text is parsed on demand, and not for `json`. */
export class RecordSource {
  readonly resource: StoredResource
  readonly text: string
  #members: JsonObject | undefined

  constructor(resource: StoredResource, text: string) {
    this.resource = resource
    this.text = text
  }

  /** Numbers are JavaScript numbers; `writtenNumber` returns exact digits. */
  get members(): JsonObject {
    this.#members ??= JSON.parse(this.text) as JsonObject
    return this.#members
  }

  get id(): string {
    return this.members.id as string
  }

  /** The text of a number when it differs from the parsed value: 12500.50 is parsed as 12500.5. */
  writtenNumber(name: string): string | undefined {
    const value = this.members[name]
    if (typeof value !== 'number') return undefined
    const written = numberText(this.text, name)
    return written === JSON.stringify(value) ? undefined : written
  }
}

/** A JSON value as its exact text. */
export class JsonValueText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
