import type {
  DealColumns,
  RecordChange,
  Store,
  StoreWrite,
  UniqueMember,
  WriteAnswer,
  WriteResult,
  WriteState,
} from '../../../src/service/store/store.ts'

/** For `putUniqueMembers`. */
export function ofContacts(...members: readonly string[]): readonly UniqueMember[] {
  return members.map((member) => ({ resource: 'contact', member }))
}

/** A filter of contacts, and its index. */
export const CONTACT_INDEXES = [
  ['email', 'contacts_by_email'],
  ['name', 'contacts_by_name'],
  ['phone', 'contacts_by_phone'],
  ['company', 'contacts_by_company'],
  ['owner_id', 'contacts_by_owner'],
] as const

export function answer(status: number, body: string): WriteAnswer {
  return { status, body, location: undefined, etag: undefined }
}

/** Creates a record whose text is its id and `fields`, and answers that text. */
export function creation(
  resource: StoreWrite['resource'],
  fields: object = {},
  write: Partial<StoreWrite> = {},
): StoreWrite {
  return {
    resource,
    id: undefined,
    idempotency: undefined,
    decide: (state) => created(state, fields),
    ...write,
  }
}

export function created({ id, nowMs }: WriteState, fields: object = {}): RecordChange {
  const text = JSON.stringify({ id, ...fields, created_at: new Date(nowMs).toISOString() })
  return { next: { text, version: 1 }, answer: answer(201, text) }
}

export function dealCreation(columns: Partial<DealColumns> = {}): StoreWrite {
  const deal = { name: 'Fleet', stage: 'Lead', ownerId: null, pipelineId: 'sales', amount: null, ...columns }
  return creation('deal', {}, { decide: (state) => ({ ...created(state, deal), deal }) })
}

export function removal(resource: StoreWrite['resource'], id: string): StoreWrite {
  return {
    resource,
    id,
    idempotency: undefined,
    decide: ({ current }) => {
      if (!current) throw new Error(`no ${id}`)
      return { next: undefined, answer: answer(204, '') }
    },
  }
}

/** Replaces the text of an existing record. */
export function rewriting(resource: StoreWrite['resource'], id: string, text: string): StoreWrite {
  return {
    resource,
    id,
    idempotency: undefined,
    decide: ({ current }) => {
      if (!current) throw new Error(`no ${id}`)
      const next = { text, version: current.version + 1 }
      return { next, answer: answer(200, text) }
    },
  }
}

export function bodyOf(result: WriteResult): string {
  if (!('answer' in result)) throw new Error(`no answer in ${result.type}`)
  return result.answer.body
}

export function idOf(result: WriteResult): string {
  return JSON.parse(bodyOf(result)).id
}

export async function allContacts(store: Store): Promise<readonly string[]> {
  const all: string[] = []
  let olderThanId: string | undefined
  // A page may end before its limit: its bytes are limited, too.
  do {
    const page = await store.page('contact', { limit: 500, olderThanId })
    all.push(...page.texts)
    olderThanId = page.nextOlderThanId
  } while (olderThanId !== undefined)
  return all
}
