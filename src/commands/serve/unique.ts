import { InvalidArgumentError } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { ownUniqueMembers } from '../../core/resources/own-objects.ts'
import { FIELDS, isReadOnly, OPEN_RESOURCES, RESOURCES } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { UniqueMember } from '../../service/store/store.ts'
import type { Started } from './first-key.ts'

const MAX_SHOWN_VALUES = 20

/** `contacts.email,contacts.phone`; `none` is an empty list. */
export function parseUnique(text: string): readonly UniqueMember[] {
  if (text === 'none') return []
  return [...new Set(text.split(',').map((word) => word.trim()))].map(parseMember)
}

function parseMember(word: string): UniqueMember {
  const [, noun, member] = /^(\w+)\.(\S+)$/.exec(word) ?? []
  const resource = OPEN_RESOURCES.find((each) => RESOURCES[each].plural === noun)
  if (resource === undefined || member === undefined) throw new InvalidArgumentError(expectedForm())
  if (isReadOnly(member)) {
    throw new InvalidArgumentError(`${member} is set by the service. ${expectedForm()}`)
  }
  const known: readonly string[] = FIELDS[resource]
  const meant = known.includes(member) ? undefined : nearest(member, known)
  if (meant !== undefined) throw new InvalidArgumentError(`Did you mean ${noun}.${meant}?`)
  return { resource, member }
}

function expectedForm(): string {
  const nouns = OPEN_RESOURCES.map((resource) => RESOURCES[resource].plural).join(' or ')
  return `Expected members of ${nouns}, such as contacts.email or contacts.email,contacts.phone, or none.`
}

/** Stored in the database, so that the next start needs no flag; `--unique none` removes it. */
export async function applyUnique(
  ctx: Context,
  { store, location }: Pick<Started, 'store' | 'location'>,
  members: readonly UniqueMember[] | undefined,
): Promise<void> {
  const before = await store.uniqueMembers()
  // Those of objects follow their descriptions alone.
  const ofCrm = (members ?? before).filter(({ resource }) => !('isOwn' in RESOURCES[resource]))
  const wanted = [...ofCrm, ...(ownUniqueMembers() as readonly UniqueMember[])]
  const isKept = listOf(wanted.toSorted(byName)) === listOf(before.toSorted(byName))
  if (!isKept) await putUnique(ctx, { store, location }, wanted)
  const kept = await store.uniqueMembers()
  if (kept.length > 0)
    ctx.note(`Unique: ${listOf(kept)}. A record whose value another record already has is refused (409).`)
}

async function putUnique(
  ctx: Pick<Context, 'note'>,
  { store, location }: Pick<Started, 'store' | 'location'>,
  members: readonly UniqueMember[],
): Promise<void> {
  const shared = await store.putUniqueMembers(members)
  const [first] = shared
  if (!first) return
  for (const { member, value, ids } of shared.slice(0, MAX_SHOWN_VALUES)) {
    ctx.note(`${member} ${JSON.stringify(value)}: ${ids.join(', ')}`)
  }
  const rest = shared.length - MAX_SHOWN_VALUES
  if (rest > 0) ctx.note(`and ${rest} more`)
  const values = shared.length === 1 ? '1 value is' : `${shared.length} values are`
  throw new CrmError(
    'machine',
    `${listOf(membersOf(shared))} cannot be unique in database ${location}: ${values} shared by several ${RESOURCES[first.resource].plural}`,
    {
      hint: `start without ${'isOwn' in RESOURCES[first.resource] ? '--objects' : '--unique'}, then change or delete all but one of each: crm ${RESOURCES[first.resource].plural} get ${shellWord(first.ids[0] ?? '')}`,
    },
  )
}

function byName(one: UniqueMember, other: UniqueMember): number {
  return `${one.resource}.${one.member}` < `${other.resource}.${other.member}` ? -1 : 1
}

/** Each once. */
function membersOf(shared: readonly UniqueMember[]): readonly UniqueMember[] {
  return [...new Map(shared.map((each) => [`${each.resource}.${each.member}`, each])).values()]
}

function listOf(members: readonly UniqueMember[]): string {
  return members.map(({ resource, member }) => `${RESOURCES[resource].plural}.${member}`).join(', ')
}
