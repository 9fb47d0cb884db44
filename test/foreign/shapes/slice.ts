import type { JsonObject } from '../../../src/core/json.ts'
import type { Asked } from '../shape.ts'

export interface Slice {
  readonly items: readonly JsonObject[]
  /** Where the next page starts; undefined on the last one. */
  readonly next: number | undefined
}

/** So many records from here on. */
export function sliceAt(contacts: readonly JsonObject[], start: number, size: number): Slice {
  const end = start + size
  return { items: contacts.slice(start, end), next: end < contacts.length ? end : undefined }
}

/** The number in a parameter, or what the server takes in its place. */
export function numberIn({ query }: Pick<Asked, 'query'>, name: string, otherwise: number): number {
  const text = query.get(name)
  return text === null || !/^\d+$/.test(text) ? otherwise : Number(text)
}

/** A size as it is asked for, up to what the server gives at most. */
export function sizeIn(asked: Asked, name: string, otherwise: number, most = otherwise): number {
  return Math.min(numberIn(asked, name, otherwise), most)
}

/** The page that a number names, of pages that are counted from here. */
export function pageAt(contacts: readonly JsonObject[], page: number, size: number, base = 1): Slice {
  return sliceAt(contacts, (page - base) * size, size)
}

export const textOf = (next: number | undefined) => (next === undefined ? null : String(next))
