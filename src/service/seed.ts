import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonValue } from '../core/json.ts'
import { OPEN_RESOURCES, type OpenResource, RESOURCES, type RecordResource } from '../core/resources/registry.ts'
import { type Members, parseSentJson } from './json-text.ts'
import { Problem } from './problem.ts'
import { dealCreation, noteCreation } from './resources/deals.ts'
import { plainCreation } from './resources/plain.ts'
import { uniqueValues } from './store/change-rules.ts'
import { defaultPipeline } from './store/pipelines.ts'
import type { Pipeline, Store, UniqueMember } from './store/store.ts'
import { type CheckedWrite, writeOnce } from './write.ts'

/** The rules of the target database. */
export interface SeedRules {
  readonly pipelines?: readonly Pipeline[] | undefined
  readonly uniqueMembers?: readonly UniqueMember[] | undefined
}

export interface Seed {
  /** Records of the open resources. */
  readonly plain: Readonly<Record<OpenResource, readonly CheckedWrite[]>>
  readonly deals: readonly { readonly creation: CheckedWrite; readonly notes: readonly Members[] }[]
}

/**
 * The records in a parsed file: lists of open resources and `deals` with entries as for POST, a deal with its `notes`. The
 * default rules are those of a new database. CrmError `invalid_input` names the first invalid entry.
 */
export function parseSeed(file: unknown, rules: SeedRules = {}): Seed {
  const { pipelines = [defaultPipeline()], uniqueMembers = [] } = rules
  const { deals, ...lists } = objectAt(file, 'the file')
  const known = OPEN_RESOURCES.map((resource): string => RESOURCES[resource].plural)
  const unknown = Object.keys(lists).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw invalid('the file', `has ${unknown}, expected ${new Intl.ListFormat('en').format([...known, 'deals'])}`)
  return {
    plain: Object.fromEntries(
      OPEN_RESOURCES.map((resource) => [resource, parsePlain(lists, resource, uniqueMembers)]),
    ) as Seed['plain'],
    deals: listAt(deals, 'deals').map((entry, index) => parseDeal(entry, `deals[${index}]`, pipelines)),
  }
}

function parsePlain(
  lists: Readonly<Record<string, unknown>>,
  resource: OpenResource,
  uniqueMembers: readonly UniqueMember[],
): readonly CheckedWrite[] {
  const { plural } = RESOURCES[resource]
  const entries = listAt(lists[plural], plural)
  const creations = entries.map((entry, index) =>
    checked(`${plural}[${index}]`, () => withoutReferences(plainCreation(resource, membersOf(entry)))),
  )
  const members = uniqueMembers.filter((each) => each.resource === resource).map(({ member }) => member)
  rejectDuplicateValues(plural, entries, members)
  return creations
}

/** Checked before the first write, so that a seed is never written in part. */
function rejectDuplicateValues(plural: string, entries: readonly unknown[], members: readonly string[]): void {
  const placeOf = new Map<string, number>()
  for (const [index, entry] of entries.entries()) {
    for (const [member, value] of uniqueValues(JSON.stringify(entry), members)) {
      const key = JSON.stringify([member, value])
      const before = placeOf.get(key)
      if (before !== undefined) {
        throw invalid(`${plural}[${index}]`, `${plural}[${before}] has the same ${member}, which must be unique`)
      }
      placeOf.set(key, index)
    }
  }
}

function parseDeal(entry: unknown, path: string, pipelines: readonly Pipeline[]): Seed['deals'][number] {
  const { notes, ...sent } = objectAt(entry, path)
  return {
    creation: checked(path, () => withoutReferences(dealCreation(membersOf(sent), pipelines))),
    notes: listAt(notes, `${path}.notes`).map((note, index) => checkedNote(note, `${path}.notes[${index}]`)),
  }
}

/** A seed is loaded where there is no record yet. */
function withoutReferences(creation: CheckedWrite): CheckedWrite {
  const [reference] = creation.references ?? []
  if (!reference) return creation
  const { member, id } = reference
  throw new CrmError('invalid_input', `${member}: there is no record ${id} yet, expected none`, { hint: HINT })
}

/** Checks a note of a deal that has no id yet. */
function checkedNote(note: unknown, path: string): Members {
  return checked(path, () => {
    const members = membersOf(note)
    noteCreation('', members)
    return members
  })
}

/** Writes the records in the order of the file, with one commit per kind; subscribers are notified. */
export async function writeSeed(
  store: Store,
  { plain, deals }: Seed,
): Promise<Readonly<Record<RecordResource, number>>> {
  for (const resource of OPEN_RESOURCES) await writeAll(store, plain[resource])
  const dealIds = await writeAll(
    store,
    deals.map(({ creation }) => creation),
  )
  const notes = deals.flatMap(({ notes }, index) => notes.map((note) => noteCreation(dealIds[index] ?? '', note)))
  await writeAll(store, notes)
  const counts = Object.fromEntries(OPEN_RESOURCES.map((resource) => [resource, plain[resource].length]))
  return { ...(counts as Record<OpenResource, number>), deal: deals.length, note: notes.length }
}

/** Returns the ids in order. */
async function writeAll(store: Store, writes: readonly CheckedWrite[]): Promise<readonly string[]> {
  const results = writes.map((write) => writeOnce(store, { ...write, idempotency: undefined }))
  return (await Promise.all(results)).map(({ answer }) => JSON.parse(answer.body).id)
}

function membersOf(entry: unknown): Members {
  const node = parseSentJson(JSON.stringify(entry))
  if (typeof node !== 'string') return node
  throw new CrmError('invalid_input', 'expected an object of members', { hint: HINT })
}

const HINT = 'correct the file and start again: each entry has the form of a POST body'

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
  throw invalid(path, 'is not a list')
}

function objectAt(value: unknown, path: string): { readonly [name: string]: JsonValue } {
  if (isJsonObject(value as JsonValue)) return value as { readonly [name: string]: JsonValue }
  throw invalid(path, 'is not an object')
}

function invalid(path: string, fault: string, cause?: unknown): CrmError {
  return new CrmError('invalid_input', `--seed: ${path}: ${fault}`, { hint: HINT, cause })
}
