import type { Api } from '../api/api.ts'
import type { Page as ApiPage, Operations } from '../api/operations.ts'
import { CrmError } from '../core/errors.ts'
import { idText, type JsonObject } from '../core/json.ts'
import { findByIds } from '../core/record-ids.ts'
import type { ServiceOperation } from '../core/resources/field.ts'
import type { GivenParent } from '../core/resources/parents.ts'
import {
  type CrmRecord as AnyRecord,
  type Plural,
  RESOURCES,
  type Resource,
  resourceNamed,
  resourceOf,
  serviceOperationsOf,
} from '../core/resources/registry.ts'
import { checkedDelete, checkedFields, checkedQuery, checkedRead, checkedWrite } from './call-checks.ts'
import type {
  CrmRecord,
  DeleteCall,
  ListCall,
  NoteParent,
  Page,
  ReadCall,
  RecordList,
  UpdateCall,
  WriteCall,
} from './calls.ts'
import type { Client } from './client-types.ts'
import { isOwnObject } from './own-objects.ts'
import type { Resources } from './resources.ts'
import { guarded, guardedItems } from './safe-errors.ts'

type Open = () => Promise<Api>

type Methods = Readonly<Record<string, (...given: never[]) => unknown>>

/** The methods for records: `scripts/clients/node.ts` writes their types from the same registry. */
export function resourceMethods(open: Open): Resources {
  const resources = (Object.keys(RESOURCES) as Resource[]).filter((each) => serviceOperationsOf(each).length > 0)
  const groups = resources
    .filter((resource) => !isOwnObject(resource))
    .map((resource) => [RESOURCES[resource].plural, methodsOf(open, resource)])
  return Object.fromEntries(groups) as Resources
}

const OF_ANY_OBJECT = ['list', 'create', 'get', 'update', 'delete'] as const

/** The methods for the records of any object. `openOwn` knows the objects that a server alone has. */
export function recordsMethod(open: Open, openOwn: (noun: string) => Promise<Api>): Client['records'] {
  return (noun) => {
    const known = resourceNamed(noun)
    if (known && 'parent' in RESOURCES[known]) {
      throw new CrmError(
        'not_supported',
        `${noun} are records of a ${RESOURCES[known].parent}, and have methods of their own`,
        {
          hint: `client.${noun}`,
        },
      )
    }
    const find =
      known && !isOwnObject(known)
        ? async () => ({ api: await open(), resource: known })
        : async () => ({ api: await openOwn(noun), resource: resourceOf(noun as Plural) })
    return Object.fromEntries(OF_ANY_OBJECT.map((operation) => [operation, METHODS[operation]({ find })])) as never
  }
}

function methodsOf(open: Open, resource: Resource): Methods {
  const hasParent = 'parent' in RESOURCES[resource]
  const find = async () => ({ api: await open(), resource })
  const made = serviceOperationsOf(resource).map((operation): [ServiceOperation, Methods[string]] => {
    const make = METHODS[operation]
    if (hasParent && (operation === 'list' || operation === 'create')) {
      return [operation, (on: NoteParent, ...given: never[]) => make({ find, on })(...given)]
    }
    return [operation, make({ find })]
  })
  return Object.fromEntries(made)
}

function parentOf(given: NoteParent | undefined): GivenParent {
  if (typeof given !== 'object') return given
  const of = resourceNamed(given.on)
  if (of) return { of, id: given.id }
  throw new CrmError('invalid_input', `no object is called ${JSON.stringify(given.on)}`, {
    hint: "{ on: 'contacts', id }, or the id of a deal alone",
  })
}

interface Place {
  readonly find: () => Promise<{ readonly api: Api; readonly resource: Resource }>
  readonly on?: NoteParent
}

const METHODS: Readonly<Record<ServiceOperation, (place: Place) => Methods[string]>> = {
  list: (place) => (query?: ListCall) => {
    const checked = checkedQuery(query)
    return recordList(async function* (): AsyncGenerator<ApiPage> {
      yield* (await operationsFor(place)).list(checked)
    })
  },
  create: (place) => (fields: JsonObject, options?: WriteCall) =>
    guarded(async () => {
      const [record, write] = [checkedFields(fields), checkedWrite(options)]
      return withTextId(await (await operationsFor(place)).create(record, write))
    }),
  get: (place) => (id: string, options?: ReadCall) =>
    guarded(async () => {
      const { signal } = checkedRead(options)
      const record = await found(place, id, signal)
      if (record) return withTextId(record)
      const { resource } = await place.find()
      throw new CrmError('not_found', `there is no ${resource} ${JSON.stringify(id)}`, {
        hint: 'a list shows the ids that exist',
      })
    }),
  update: (place) => (id: string, patch: JsonObject, options?: UpdateCall) =>
    guarded(async () => {
      const [changes, write] = [checkedFields(patch), checkedWrite(options, ['ifMatch'])]
      return withTextId(await (await operationsFor(place)).update(id, changes, write))
    }),
  delete: (place) => (id: string, options?: DeleteCall) =>
    guarded(async () => {
      const checked = checkedDelete(options)
      await (await operationsFor(place)).delete(id, checked)
    }),
  test: (place) => (id: string, options?: WriteCall) =>
    guarded(async () => {
      const write = checkedWrite(options)
      return (await operationsFor(place)).test(id, write)
    }),
}

async function operationsFor({ find, on }: Place): Promise<Operations> {
  const { api, resource } = await find()
  const collection = api[RESOURCES[resource].plural]
  return typeof collection === 'function' ? collection(parentOf(on)) : collection
}

/** Failures that a scan would have, too. */
const FINAL: readonly string[] = ['interrupted', 'rate_limited', 'unauthorized', 'usage', 'no_key', 'invalid_input']

/** By one request if the server has it, else by a scan of the list. Undefined if there is no such record. */
async function found(place: Place, id: string, signal: AbortSignal | undefined): Promise<AnyRecord | undefined> {
  const operations = await operationsFor(place)
  try {
    return await operations.get(id, signal)
  } catch (error) {
    const { api, resource } = await place.find()
    const isOffered = api.connector.offers(resource, 'get')
    if (isOffered || !(error instanceof CrmError) || FINAL.includes(error.code)) throw error
    return (await findByIds(operations.list({ signal }), [id])).get(id)
  }
}

/** Each iteration is a list of its own, from the start. */
function recordList(list: () => AsyncIterable<ApiPage>): RecordList {
  async function* pages(): AsyncGenerator<Page> {
    for await (const page of guardedItems(list)) yield { ...page, items: page.items.map(withTextId) }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items
    },
  }
}

function withTextId(record: AnyRecord): CrmRecord {
  const id = idText(record.id)
  return (id === undefined ? record : { ...record, id }) as CrmRecord
}
