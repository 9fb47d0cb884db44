import type { JsonObject, JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { FieldMap } from './field-map.ts'
import { conversionOf } from './field-values.ts'
import { type Path, readAll, type Step } from './paths.ts'

/** Every value of fields that show one element of a list, such as the primary email of several. */
export interface AllValues {
  /** Keeps where the values of a record that is read are. */
  keep(record: CrmRecord, inner: JsonObject): void
  /**
   * All values of a field in a record that is read from now on; none for a field that has one value. Lists that need none of
   * them do without: keeping them takes longer than reading the record.
   */
  collect(): ValuesOf
}

/** All values of a member, where the record shows one of several. */
export type ValuesOf = (record: CrmRecord, name: string) => readonly JsonValue[]

export function createAllValues(fields: readonly FieldMap[]): AllValues {
  const byName = new Map(fields.flatMap((field) => readerOf(field) ?? []))
  let sources: WeakMap<CrmRecord, JsonObject> | undefined
  const of: ValuesOf = (record, name) => {
    const inner = sources?.get(record)
    return (inner && byName.get(name)?.(inner)) ?? []
  }
  return {
    keep: (record, inner) => void sources?.set(record, inner),
    collect: () => {
      if (byName.size > 0) sources ??= new WeakMap()
      return of
    },
  }
}

type ValuesReader = (inner: JsonObject) => readonly JsonValue[]

function readerOf({ name, reads, document }: FieldMap): [readonly [string, ValuesReader]] | undefined {
  const [path, ...others] = reads
  const isConverted = document.join !== undefined || document.map !== undefined || document.ref !== undefined
  if (!path || others.length > 0 || isConverted || !path.steps.some(isOneOfMany)) return undefined
  const all: Path = { text: path.text, steps: path.steps.map((step) => (isOneOfMany(step) ? { type: 'each' } : step)) }
  const { read } = conversionOf(document.type, document.as)
  return [[name, (inner) => readAll(all, inner).map(read)]]
}

function isOneOfMany({ type }: Step): boolean {
  return type !== 'member' && type !== 'each'
}
