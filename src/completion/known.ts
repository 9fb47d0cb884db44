import { idText, isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { type CrmRecord, isListed, type Resource } from '../core/resources/registry.ts'

/** What the commands of one profile last saw of its server: the newest first, limited in number. */
export interface Known {
  /** Each id with the name of its record, for people. */
  readonly ids: Readonly<Partial<Record<Resource, readonly (readonly [id: string, name: string])[]>>>
  readonly members: Readonly<Partial<Record<Resource, readonly string[]>>>
  readonly stages: readonly string[]
}

/** The resources that some command takes by id. */
const isNamedById = (resource: Resource) => resource === 'pipeline' || isListed(resource)

export const MOST_IDS = 100
const MOST_STAGES = 100
const MOST_MEMBERS = 100
/** Longer values are not offered; longer names are cut. */
const MOST_CHARACTERS = 80

export const NOTHING_KNOWN: Known = { ids: {}, members: {}, stages: [] }

/** `records` are the newest, in the order shown. */
export function withSeen(known: Known, resource: Resource, records: readonly CrmRecord[]): Known {
  const first = records.slice(0, MOST_IDS)
  const members = first.flatMap((record) => Object.keys(record))
  return {
    ids: isNamedById(resource) ? { ...known.ids, [resource]: withIds(known.ids[resource], first) } : known.ids,
    members: { ...known.members, [resource]: merged(members, known.members[resource] ?? [], MOST_MEMBERS) },
    stages: merged(
      first.flatMap((record) => stagesIn(resource, record)),
      known.stages,
      MOST_STAGES,
    ),
  }
}

export function withoutKnownId(known: Known, resource: Resource, id: string): Known {
  const rest = (known.ids[resource] ?? []).filter(([each]) => each !== id)
  return { ...known, ids: { ...known.ids, [resource]: rest } }
}

/** The content of a file, without parts that this version does not recognise. */
export function knownIn({ ids, members, stages }: JsonObject): Known {
  return {
    ids: mapMembers(ids, (pairs) =>
      listIn(pairs).flatMap((pair) => {
        const [id, name] = textsIn(pair)
        return id === undefined || name === undefined ? [] : [[id, name] as const]
      }),
    ),
    members: mapMembers(members, textsIn),
    stages: textsIn(stages),
  }
}

type Ids = readonly (readonly [id: string, name: string])[]

function withIds(before: Ids = [], records: readonly CrmRecord[]): Ids {
  const seen = records.flatMap((record) => {
    const id = idText(record.id)
    return id === undefined || id.length > MOST_CHARACTERS ? [] : [[id, nameOf(record)] as const]
  })
  const shown = new Set(seen.map(([id]) => id))
  return [...seen, ...before.filter(([id]) => !shown.has(id))].slice(0, MOST_IDS)
}

function nameOf({ name, email }: CrmRecord): string {
  const text = typeof name === 'string' && name !== '' ? name : email
  return typeof text === 'string' ? text.slice(0, MOST_CHARACTERS) : ''
}

/** The names of stages in a stage, a pipeline or a deal. */
function stagesIn(resource: Resource, { name, stage, stages }: CrmRecord): readonly JsonValue[] {
  if (resource === 'stage') return [name ?? null]
  if (resource === 'deal') return [stage ?? null]
  return listIn(stages).map((each) => (isJsonObject(each) ? (each.name ?? null) : each))
}

function merged(seen: readonly JsonValue[], before: readonly string[], most: number): readonly string[] {
  const texts = seen.filter((text) => typeof text === 'string' && text.length <= MOST_CHARACTERS) as string[]
  return [...new Set([...texts, ...before])].slice(0, most)
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return listIn(value).filter((each) => typeof each === 'string')
}

function mapMembers<Result>(value: JsonValue | undefined, map: (value: JsonValue) => Result): Record<string, Result> {
  if (!isJsonObject(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, map(each)]))
}
