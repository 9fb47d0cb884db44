import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonValue } from '../core/json.ts'
import { requireContact } from './fields/contact-fields.ts'
import { readDeal } from './fields/deal-fields.ts'
import { readNote } from './fields/note-fields.ts'
import { type Members, parseJsonText } from './json-text.ts'
import { Problem } from './problem.ts'
import { createRecord } from './records.ts'
import { defaultPipeline } from './store/pipeline-rules.ts'
import type { DealColumns, Pipeline, Store, Write, WriteResult } from './store/store.ts'

export interface Seed {
  readonly contacts: readonly Members[]
  readonly deals: readonly {
    readonly fields: Members
    readonly columns: DealColumns
    readonly notes: readonly Members[]
  }[]
}

/**
 * The records of a file that was parsed already: lists `contacts` and `deals`, each entry as a POST takes it, a deal with
 * its `notes`; without pipelines, those of a database that was just made. CrmError `invalid_input` names the first entry that is none.
 */
export function parseSeed(file: unknown, pipelines: readonly Pipeline[] = [defaultPipeline()]): Seed {
  const { contacts, deals, ...others } = objectAt(file, 'the file')
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid('the file', `has ${unknown}, expected contacts and deals`)
  return {
    contacts: listAt(contacts, 'contacts').map((entry, index) =>
      checked(`contacts[${index}]`, () => {
        const fields = membersOf(entry)
        requireContact(fields)
        return fields
      }),
    ),
    deals: listAt(deals, 'deals').map((entry, index) => parseDeal(entry, `deals[${index}]`, pipelines)),
  }
}

function parseDeal(entry: unknown, path: string, pipelines: readonly Pipeline[]): Seed['deals'][number] {
  const { notes, ...sent } = objectAt(entry, path)
  const columns = checked(path, () => readDeal(membersOf(sent), pipelines))
  return {
    fields: new Map([...membersOf(sent), ['pipeline_id', JSON.stringify(columns.pipelineId)]]),
    columns,
    notes: listAt(notes, `${path}.notes`).map((note, index) =>
      checked(`${path}.notes[${index}]`, () => {
        readNote(membersOf(note), '')
        return membersOf(note)
      }),
    ),
  }
}

/** Writes them in the order of the file, in as few commits as there are kinds; subscribers are told. */
export async function sow(
  store: Pick<Store, 'write'>,
  { contacts, deals }: Seed,
): Promise<{ readonly contacts: number; readonly deals: number; readonly notes: number }> {
  await writeAll(
    store,
    contacts.map((fields) => creation('contact', fields)),
  )
  const made = await writeAll(
    store,
    deals.map(({ fields, columns }) => creation('deal', fields, columns)),
  )
  const notes = deals.flatMap(({ notes }, index) => {
    const dealId = made[index] ?? ''
    return notes.map((note) => noteCreation(dealId, readNote(note, dealId)))
  })
  await writeAll(store, notes)
  return { contacts: contacts.length, deals: deals.length, notes: notes.length }
}

function creation(kind: 'contact' | 'deal', fields: Members, deal?: DealColumns): Write {
  return {
    kind,
    id: undefined,
    parent: undefined,
    idempotency: undefined,
    decide: (state) => ({
      ...createRecord(state, { collection: `/v1/${kind}s`, fields, event: `${kind}.created` }),
      deal,
    }),
  }
}

function noteCreation(dealId: string, fields: Members): Write {
  return {
    kind: 'note',
    id: undefined,
    parent: { kind: 'deal', id: dealId },
    idempotency: undefined,
    decide: (state) => createRecord(state, { collection: `/v1/deals/${dealId}/notes`, fields, event: 'note.created' }),
  }
}

/** The ids, in order. */
async function writeAll(store: Pick<Store, 'write'>, writes: readonly Write[]): Promise<readonly string[]> {
  return (await Promise.all(writes.map((write) => store.write(write)))).map(idOf)
}

function idOf(result: WriteResult): string {
  if (!('answer' in result)) throw new Error(`a write without an idempotency key ended as ${result.type}`)
  return JSON.parse(result.answer.body).id
}

function membersOf(entry: unknown): Members {
  const node = parseJsonText(JSON.stringify(entry))
  if (typeof node !== 'string') return node
  throw new CrmError('invalid_input', 'expected an object of members', { hint: HINT })
}

const HINT = 'correct the file, and start again: each entry is what a POST of its kind takes'

function checked<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Problem || error instanceof CrmError)) throw error
    throw invalid(path, error.message, error)
  }
}

function listAt(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw invalid(path, 'is no list')
}

function objectAt(value: unknown, path: string): { readonly [name: string]: JsonValue } {
  if (isJsonObject(value as JsonValue)) return value as { readonly [name: string]: JsonValue }
  throw invalid(path, 'is no object of members')
}

function invalid(path: string, fault: string, cause?: unknown): CrmError {
  return new CrmError('invalid_input', `--seed: ${path}: ${fault}`, { hint: HINT, cause })
}
