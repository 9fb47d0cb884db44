import type { FieldDocument, ResourceDocument } from '../../src/connector/document.ts'
import { createRecordMap, type RecordMap } from '../../src/connector/record-map.ts'

/** A field that is read and written at one place. */
export function field(at: string | readonly string[], more: Partial<FieldDocument> = {}): FieldDocument {
  const paths = [at].flat() as string[]
  return {
    read: paths,
    write: paths,
    join: undefined,
    lone: undefined,
    empty: undefined,
    new: {},
    set: {},
    map: undefined,
    one: false,
    type: 'string',
    as: undefined,
    ref: undefined,
    within: {},
    required: false,
    max: [],
    when: 'always',
    fold: undefined,
    if: undefined,
    clear: null,
    ...more,
  }
}

export function described(more: Partial<ResourceDocument> = {}): ResourceDocument {
  return {
    open: false,
    parent: undefined,
    id: { at: 'id', type: 'string' },
    created_at: undefined,
    updated_at: undefined,
    version: undefined,
    deleted: undefined,
    inside: '.',
    others: [{ at: '.', names: undefined }],
    read_only: [],
    hidden: [],
    select: undefined,
    names: undefined,
    value: undefined,
    clear: null,
    filters: {},
    ...{ list: undefined, get: undefined, create: undefined, update: undefined, delete: undefined, restore: undefined },
    find: {},
    upsert: {},
    batch: {},
    fields: {},
    ...more,
  }
}

export function mapOf(more: Partial<ResourceDocument>): RecordMap {
  return createRecordMap(described(more), { connector: 'acme', resource: 'contact' })
}
