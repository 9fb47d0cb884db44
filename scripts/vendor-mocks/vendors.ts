import { isJsonObject, type JsonObject } from '../../src/core/json.ts'

/** A vendor's OpenAPI document in the given folder. */
export interface VendorDocument {
  readonly file: string
  /** Where its paths begin at the origin of the vendor, as the path in the document's `servers`. */
  readonly prefix: string
}

/** Which documents describe the server of a connector, and what a mock of them cannot know. */
export interface Vendor {
  readonly connector: string
  readonly documents: readonly VendorDocument[]
  readonly variables: Readonly<Record<string, string>>
  /** Operations that the documents do not have. */
  readonly lacks: readonly string[]
  /**
   * What a mock cannot know: its example becomes an answer to this request, with an empty last page where the example would be
   * the same page again, and with the id that was asked for.
   */
  completed(asked: Asked, example: JsonObject): JsonObject
  /** Failures whose cause is the mock's own. */
  readonly mockCauses: readonly MockCause[]
}

interface Asked {
  readonly path: string
  readonly query: URLSearchParams
  readonly body: JsonObject
}

interface MockCause {
  readonly operation: string
  /** Of the failure. */
  readonly message: RegExp
  readonly cause: string
}

export const VENDORS: readonly Vendor[] = [
  {
    connector: 'pipedrive',
    documents: [
      { file: 'pipedrive-v2.yaml', prefix: '/api/v2' },
      { file: 'pipedrive-v1.yaml', prefix: '/api/v1' },
    ],
    variables: { company: 'acme' },
    lacks: [],
    completed: ({ query }, example) => {
      const start = Number(query.get('start') ?? 0)
      if (start > 0)
        return { ...example, data: [], additional_data: { pagination: { start, more_items_in_collection: false } } }
      return query.has('cursor') ? { ...example, data: [], additional_data: { next_cursor: null } } : example
    },
    mockCauses: [],
  },
  {
    connector: 'attio',
    documents: [{ file: 'attio.json', prefix: '' }],
    variables: {},
    lacks: [],
    completed: ({ query, body }, example) =>
      Number(query.get('offset') ?? body.offset ?? 0) > 0 ? { ...example, data: [] } : example,
    mockCauses: [],
  },
  {
    connector: 'hubspot',
    documents: [{ file: 'hubspot-crm-v3.json', prefix: '' }],
    variables: {},
    lacks: ['notes list', 'notes add', 'webhooks create'],
    completed: ({ path, query, body }, example) => {
      if (query.has('after') || body.after !== undefined) return { ...example, results: [], paging: null }
      const [, id] = /\/objects\/[\w-]+\/(\w+)$/.exec(path) ?? []
      return id === undefined || example.id === undefined ? example : { ...example, id }
    },
    mockCauses: [],
  },
  {
    connector: 'onepagecrm',
    documents: [{ file: 'onepagecrm.yaml', prefix: '/api/v3' }],
    variables: { user: '0123456789abcdef01234567' },
    lacks: ['webhooks create'],
    completed: ({ path, query }, example) => {
      if (Number(query.get('page') ?? 1) > 1) {
        return { ...example, data: { contacts: [], deals: [], notes: [], pipelines: [], webhooks: [] } }
      }
      // The deletion of a deal is described by its status alone; that of a contact has this body.
      if (path.startsWith('/deals/') && Object.keys(example).length === 0) return { status: 0 }
      // The note of the example is linked to no deal.
      return path === '/notes' && query.size > 0 ? linkedToDeal(example, '5aaa9b059007ba08c9ebaf58') : example
    },
    mockCauses: [],
  },
]

/** Every note of the list. */
function linkedToDeal(example: JsonObject, linked_deal_id: string): JsonObject {
  const { notes } = isJsonObject(example.data) ? example.data : {}
  const linked = (Array.isArray(notes) ? notes : []).filter(isJsonObject).map(({ note }) => {
    return { note: { ...(isJsonObject(note) && note), linked_deal_id } }
  })
  return { ...example, data: { notes: linked } }
}
