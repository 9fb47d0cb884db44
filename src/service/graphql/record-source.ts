import { parseExactJson } from '../../core/exact-json.ts'
import type { JsonObject } from '../../core/json.ts'
import type { RecordKind } from '../store/store.ts'

/** A record behind the fields of its type. Its text is parsed when one of them is asked for, and not for `json`. */
export class RecordSource {
  readonly kind: RecordKind
  readonly text: string
  #members: JsonObject | undefined

  constructor(kind: RecordKind, text: string) {
    this.kind = kind
    this.text = text
  }

  get members(): JsonObject {
    this.#members ??= parseExactJson(this.text) as JsonObject
    return this.#members
  }

  get id(): string {
    return this.members.id as string
  }
}
