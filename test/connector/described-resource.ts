import type { FieldDocument, ResourceDocument } from '../../src/connector/document.ts'
import { createRecordMap, type RecordMap } from '../../src/connector/record-map.ts'

/** A field that is read and written at one place. */
export function field(at: string | readonly string[], more: Partial<FieldDocument> = {}): FieldDocument {
  const paths = typeof at === 'string' ? [at] : at
  return {
    read: paths,
    write: paths,
    isJoined: false,
    isLoneLast: false,
    emptyPart: undefined,
    new: {},
    set: {},
    map: undefined,
    isOne: false,
    type: 'string',
    as: undefined,
    ref: undefined,
    within: {},
    isRequired: false,
    max: [],
    when: 'always',
    isCaseFolded: false,
    clear: null,
    ...more,
  }
}

export function described(more: Partial<ResourceDocument> = {}): ResourceDocument {
  return {
    isOpen: false,
    parent: undefined,
    id: { at: 'id', type: 'string' },
    createdAt: undefined,
    updatedAt: undefined,
    version: undefined,
    deleted: undefined,
    inside: '.',
    others: [{ at: '.', names: undefined }],
    readOnly: [],
    select: undefined,
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
