import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Page } from '../operations.ts'
import type { References } from './field-map.ts'

/** Lists that are read whole for the names of their records. */
const MOST_NAMED = 2000

/** Names of records that fields refer to by id, such as the stage of a deal; each list is read once, when it is first needed. */
export class ListedReferences implements References {
  readonly #list: (resource: Resource) => AsyncIterable<Page>
  readonly #loading = new Map<Resource, Promise<void>>()
  readonly #records = new Map<Resource, readonly CrmRecord[]>()
  readonly #names = new Map<Resource, ReadonlyMap<string, string>>()

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
    this.#names.set(resource, new Map(records.map((record) => [idText(record.id) ?? '', String(record.name ?? '')])))
  }

  nameOf(resource: Resource, id: string): string | undefined {
    return this.#names.get(resource)?.get(id)
  }

  /** By its exact name among the records that `within` describes, then by its id. CrmError names the choices. */
  idOf(resource: Resource, name: string, within: Readonly<Record<string, string>>): string {
    const all = this.#records.get(resource) ?? []
    const near = all.filter((record) =>
      Object.entries(within).every(([field, value]) => idText(record[field]) === value),
    )
    const named = near.filter((record) => record.name === name)
    const [only, ...others] = named
    if (only && others.length === 0) return idText(only.id) ?? ''
    if (near.some((record) => idText(record.id) === name)) return name
    const { singular, plural } = RESOURCES[resource]
    const choices = [...new Set(near.map((record) => String(record.name)))].slice(0, 20).join(', ')
    const problem = only
      ? `${named.length} ${plural} are named ${JSON.stringify(name)}: ${named.map(({ id }) => idText(id)).join(', ')}`
      : `there is no ${singular} ${JSON.stringify(name)}`
    throw new CrmError('invalid_input', problem, {
      hint: only ? 'name it by its id, or name its pipeline in pipeline_id' : `expected one of ${choices}`,
    })
  }
}

/** For records whose fields name no others. */
export const NO_REFERENCES: References & Pick<ListedReferences, 'load'> = {
  load: async () => {},
  nameOf: () => undefined,
  idOf: (_, name) => name,
}
