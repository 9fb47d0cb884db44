import type { JsonObject } from '../../../src/core/json.ts'
import type { Asked } from '../shape.ts'

export interface Slice {
  readonly items: readonly JsonObject[]
  readonly start: number
  /** Where the next page starts; undefined on the last one. */
  readonly next: number | undefined
}

/** So many records from here on. */
export function sliceAt(contacts: readonly JsonObject[], start: number, size: number): Slice {
  const end = start + size
  return { items: contacts.slice(start, end), start, next: end < contacts.length ? end : undefined }
}

/** The number in a parameter, or what the server takes in its place. */
export function numberIn({ query }: Pick<Asked, 'query'>, name: string, otherwise: number): number {
  const text = query.get(name)
  return text === null || !/^\d+$/.test(text) ? otherwise : Number(text)
}
