import type { References } from '../../connector/field-map.ts'
import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Page } from '../operations.ts'

/** Lists that are read whole for the names of their records. */
const MOST_NAMED = 2000

/** Names of records that fields refer to by id, such as the stage of a deal; each list is read once, when it is first needed. */
export class ListedReferences implements References {
  readonly #list: (resource: Resource) => AsyncIterable<Page>
  readonly #loading = new Map<Resource, Promise<void>>()
  readonly #records = new Map<Resource, readonly CrmRecord[]>()
  readonly #byId = new Map<Resource, ReadonlyMap<string, readonly CrmRecord[]>>()

  constructor(list: (resource: Resource) => AsyncIterable<Page>) {
    this.#list = list
  }

  /** CrmError for a list that cannot be read, or has more than 2,000 records. */
  async load(resources: readonly Resource[]): Promise<void> {
    for (const resource of resources) {
      const loading = this.#loading.get(resource) ?? this.#read(resource)
      this.#loading.set(resource, loading)
      await loading
    }
  }

  async #read(resource: Resource): Promise<void> {
    const records: CrmRecord[] = []
    for await (const { items } of this.#list(resource)) {
      records.push(...items)
      if (records.length > MOST_NAMED) {
        const { plural } = RESOURCES[resource]
        throw new CrmError(
          'not_supported',
          `the server has more than ${MOST_NAMED} ${plural}, too many to find one by name`,
          {
            hint: 'name it by its id',
          },
        )
      }
    }
    this.#records.set(resource, records)
    this.#byId.set(
      resource,
      Map.groupBy(records, ({ id }) => idText(id) ?? ''),
    )
  }

  nameOf(resource: Resource, id: string, within?: () => Readonly<Record<string, string>>): string | undefined {
    const [first, ...others] = this.#byId.get(resource)?.get(id) ?? []
    if (!first || others.length === 0 || !within) return first && String(first.name ?? '')
    const fields = within()
    const near = [first, ...others].find((record) => isWithin(record, fields))
    return near && String(near.name ?? '')
  }

  /** By its exact name among the records that `within` describes, then by its id. CrmError names the choices. */
  idOf(resource: Resource, name: string, within: Readonly<Record<string, string>>): string {
    const all = this.#records.get(resource) ?? []
    const near = all.filter((record) => isWithin(record, within))
    const [id, ...others] = new Set(
      near.filter((record) => record.name === name).map((record) => idText(record.id) ?? ''),
    )
    const alike = near.filter((record) => idText(record.id) === id)
    if (id !== undefined && others.length === 0 && alike.every((record) => record.name === name)) return id
    if (near.some((record) => idText(record.id) === name)) return name
    if (near.length === 0 && all.length > 0) throw noneWithin(resource, name, within)
    throw unclear({ resource, name, ids: id === undefined ? [] : [id, ...others], near })
  }
}

/** Nothing is within the named record, which may be named by its name instead of its id. */
function noneWithin(resource: Resource, name: string, within: Readonly<Record<string, string>>): CrmError {
  const { singular, plural } = RESOURCES[resource]
  const beside = Object.entries(within).map(([field, value]) => `${field} ${JSON.stringify(value)}`)
  return new CrmError('invalid_input', `there is no ${singular} ${JSON.stringify(name)} with ${beside.join(', ')}`, {
    hint: `crm ${plural === 'stages' ? 'pipelines' : plural} list shows the ids`,
  })
}

interface Unclear {
  readonly resource: Resource
  readonly name: string
  /** Of the records with this name. */
  readonly ids: readonly string[]
  readonly near: readonly CrmRecord[]
}

/** No record has the name, several have it, or the id of the one that has it is also that of another. */
function unclear({ resource, name, ids, near }: Unclear): CrmError {
  const { singular, plural } = RESOURCES[resource]
  const [id, ...others] = ids
  if (id === undefined) {
    const choices = [...new Set(near.map((record) => String(record.name)))]
    const meant = nearest(name, choices)
    return new CrmError('invalid_input', `there is no ${singular} ${JSON.stringify(name)}`, {
      hint: meant === undefined ? `expected one of ${choices.slice(0, 20).join(', ')}` : `did you mean ${meant}?`,
    })
  }
  if (others.length > 0) {
    return new CrmError(
      'invalid_input',
      `${ids.length} ${plural} are named ${JSON.stringify(name)}: ${ids.join(', ')}`,
      {
        hint: 'name it by its id, or name its pipeline in pipeline_id',
      },
    )
  }
  const also = near.find((record) => idText(record.id) === id && record.name !== name)
  const both = `${JSON.stringify(name)} and ${JSON.stringify(String(also?.name))}`
  return new CrmError('invalid_input', `the ${plural} ${both} have the same id, ${id}, in different pipelines`, {
    hint: 'name its pipeline in pipeline_id',
  })
}

function isWithin(record: CrmRecord, within: Readonly<Record<string, string>>): boolean {
  return Object.entries(within).every(([field, value]) => idText(record[field]) === value)
}

/** For records whose fields name no others. */
export const NO_REFERENCES: References & Pick<ListedReferences, 'load'> = {
  load: async () => {},
  nameOf: () => undefined,
  idOf: (_, name) => name,
}
