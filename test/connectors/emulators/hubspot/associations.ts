import { type Answer, type Call, Refusal, type Route, type Row, Table } from '../emulator.ts'
import type { ObjectType } from './objects.ts'
import { batchAnswer, type ErrorBody, invalid, refuse, takeBody } from './rules.ts'

const CREATED_MAX = 2000
const READ_MAX = 1000
const PAGE = 500

type Category = 'HUBSPOT_DEFINED' | 'USER_DEFINED'

/** A type of association in one direction: its category and id together. */
interface Definition {
  readonly category: Category
  readonly typeId: number
  readonly label: string | null
  readonly from: string
  readonly to: string
}

export interface WrittenType {
  readonly associationCategory: Category
  readonly associationTypeId: number
}

export interface Ref {
  readonly type: ObjectType
  readonly id: string
}

/** Of a create: `types` are those from the new record. */
export interface WrittenLink {
  readonly to: { readonly id: string | number }
  readonly types: readonly WrittenType[]
}

interface Link extends Row {
  readonly from: string
  readonly to: string
  readonly types: readonly Definition[]
}

/** From, to, the type id there and the one back, and their labels. */
const HUBSPOT_DEFINED = [
  ['0-1', '0-1', 449, 449],
  ['0-1', '0-2', 279, 280],
  ['0-1', '0-2', 1, 2, 'Primary'],
  ['0-1', '0-3', 4, 3],
  ['0-1', '0-5', 15, 16],
  ['0-1', '0-14', 70, 69],
  ['0-1', '0-27', 203, 204],
  ['0-1', '0-46', 201, 202],
  ['0-1', '0-47', 199, 200],
  ['0-1', '0-48', 193, 194],
  ['0-1', '0-49', 197, 198],
  ['0-2', '0-2', 450, 450],
  ['0-2', '0-2', 13, 14, 'Child Company', 'Parent Company'],
  ['0-2', '0-3', 342, 341],
  ['0-2', '0-3', 6, 5, 'Primary'],
  ['0-2', '0-5', 340, 339],
  ['0-2', '0-5', 25, 26, 'Primary'],
  ['0-2', '0-14', 72, 71],
  ['0-2', '0-27', 191, 192],
  ['0-2', '0-46', 189, 190],
  ['0-2', '0-47', 187, 188],
  ['0-2', '0-48', 181, 182],
  ['0-2', '0-49', 185, 186],
  ['0-3', '0-3', 451, 451],
  ['0-3', '0-5', 27, 28],
  ['0-3', '0-8', 19, 20],
  ['0-3', '0-14', 63, 64],
  ['0-3', '0-27', 215, 216],
  ['0-3', '0-46', 213, 214],
  ['0-3', '0-47', 211, 212],
  ['0-3', '0-48', 205, 206],
  ['0-3', '0-49', 209, 210],
  ['0-5', '0-5', 452, 452],
  ['0-5', '0-27', 229, 230],
  ['0-5', '0-46', 227, 228],
  ['0-5', '0-49', 223, 224],
] as const

/** The associations of an account; each is stored once and shown from both sides. */
export class Associations {
  readonly table = new Table()
  readonly #definitions: Definition[] = []
  readonly #inverses = new Map<Definition, Definition>()
  readonly #linksOf = new Map<string, Set<string>>()
  readonly #isPresent: (key: string) => boolean
  #lastTypeId = 0

  /** `isPresent` is asked for records that are linked: an archived one is not shown. */
  constructor(isPresent: (key: string) => boolean) {
    this.#isPresent = isPresent
    for (const [from, to, there, back, label = null, inverse = label] of HUBSPOT_DEFINED) {
      const category = 'HUBSPOT_DEFINED'
      this.#define(
        { category, typeId: there, label, from, to },
        { category, typeId: back, label: inverse, from: to, to: from },
      )
    }
  }

  #define(there: Definition, back: Definition): readonly [Definition, Definition] {
    const isOne = there.from === there.to && there.typeId === back.typeId
    this.#definitions.push(...(isOne ? [there] : [there, back]))
    this.#inverses.set(there, isOne ? there : back).set(back, there)
    return [there, back]
  }

  /** The ids of an account begin with 1, as HubSpot's own do. */
  defineOwn(
    from: ObjectType,
    to: ObjectType,
    label: string | null,
    inverse = label,
  ): readonly [Definition, Definition] {
    const category = 'USER_DEFINED'
    this.#lastTypeId += 1
    const typeId = this.#lastTypeId
    if (from.id !== to.id || inverse !== label) this.#lastTypeId += 1
    return this.#define(
      { category, typeId, label, from: from.id, to: to.id },
      { category, typeId: this.#lastTypeId, label: inverse, from: to.id, to: from.id },
    )
  }

  definitions(from: ObjectType, to: ObjectType): readonly Definition[] {
    return this.#definitions.filter((one) => one.from === from.id && one.to === to.id)
  }

  unlabelled(from: ObjectType, to: ObjectType): Definition {
    const found = this.definitions(from, to).find(({ label }) => label === null)
    return found ?? invalid(`No association type exists from ${from.id} to ${to.id}`)
  }

  /** Of the types that a request names; a type that these two objects lack is refused. */
  find(from: ObjectType, to: ObjectType, { associationCategory, associationTypeId }: WrittenType): Definition {
    const found = this.definitions(from, to).find(
      ({ category, typeId }) => category === associationCategory && typeId === associationTypeId,
    )
    return found ?? refuseLink({ type: [`${associationCategory} ${associationTypeId}`] })
  }

  /** The definition with this type, which says to what the record of a create is linked. */
  findFrom(from: ObjectType, { associationCategory, associationTypeId }: WrittenType): Definition {
    const found = this.#definitions.find(
      (one) => one.from === from.id && one.category === associationCategory && one.typeId === associationTypeId,
    )
    return found ?? refuseLink({ type: [`${associationCategory} ${associationTypeId}`] })
  }

  /** A labelled association is an unlabelled one too; of those that are primary, a record has one. */
  link(from: Ref, to: Ref, types: readonly Definition[]): readonly Definition[] {
    const added = [this.unlabelled(from.type, to.type), ...types]
    if (added.some(({ label }) => label === 'Primary')) this.#removePrimary(from.type.id === '0-2' ? to : from)
    const held = this.types(from, to)
    this.#write(from, to, [...new Set([...held, ...added])])
    return this.types(from, to)
  }

  #removePrimary(ref: Ref): void {
    for (const { key, types } of this.#seenFrom(keyOf(ref))) {
      const [typeId, id] = key.split('/') as [string, string]
      const left = types.filter(({ label }) => label !== 'Primary')
      if (left.length < types.length) this.#write(ref, { type: { id: typeId } as ObjectType, id }, left)
    }
  }

  #write(from: Ref, to: Ref, types: readonly Definition[]): void {
    const [there, back] = [`${keyOf(from)} ${keyOf(to)}`, `${keyOf(to)} ${keyOf(from)}`]
    const isTurned = this.table.rows.has(back)
    const key = isTurned ? back : there
    const before = this.table.rows.get(key) as Link | undefined
    if (types.length === 0) {
      if (before) this.table.remove(key)
      return
    }
    const [first, second] = isTurned ? [to, from] : [from, to]
    const stored = isTurned ? types.map((one) => this.#inverse(one)) : types
    if (before && before.types.length === stored.length && stored.every((one) => before.types.includes(one))) return
    const ends = { from: keyOf(first), to: keyOf(second) }
    this.table.write(before ? 'updated' : 'created', key, { ...ends, types: stored } satisfies Link)
    for (const end of Object.values(ends)) this.#linksOf.set(end, (this.#linksOf.get(end) ?? new Set()).add(key))
  }

  #inverse(definition: Definition): Definition {
    return this.#inverses.get(definition) as Definition
  }

  /** The records that one is linked with, as it sees them. */
  #seenFrom(key: string): { readonly key: string; readonly types: readonly Definition[] }[] {
    return [...(this.#linksOf.get(key) ?? [])].flatMap((link) => {
      const row = this.table.rows.get(link) as Link | undefined
      if (!row) return []
      if (row.from === key) return [{ key: row.to, types: row.types }]
      return [{ key: row.from, types: row.types.map((one) => this.#inverse(one)) }]
    })
  }

  types(from: Ref, to: Ref): readonly Definition[] {
    return this.#seenFrom(keyOf(from)).find(({ key }) => key === keyOf(to))?.types ?? []
  }

  /** From one record to those of an object, in the order of their ids. */
  of(from: Ref, to: ObjectType) {
    if (!this.#isPresent(keyOf(from))) return []
    const seen = this.#seenFrom(keyOf(from)).filter(({ key }) => key.startsWith(`${to.id}/`) && this.#isPresent(key))
    return seen.map(({ key, types }) => ({ id: Number(key.split('/')[1]), types })).sort((a, b) => a.id - b.id)
  }

  unlink(from: Ref, to: Ref): void {
    this.#write(from, to, [])
  }

  /** What is not there is no error; without the unlabelled one, no label is left. */
  removeLabels(from: Ref, to: Ref, types: readonly WrittenType[]): void {
    const isRemoved = ({ category, typeId }: Definition) =>
      types.some((one) => one.associationCategory === category && one.associationTypeId === typeId)
    const held = this.types(from, to)
    const isWhole = held.some((one) => one.label === null && isRemoved(one))
    this.#write(from, to, isWhole ? [] : held.filter((one) => !isRemoved(one)))
  }
}

function keyOf({ type, id }: Ref): string {
  return `${type.id}/${id}`
}

function refuseLink(context: Row): never {
  return refuse(400, 'VALIDATION_ERROR', 'One or more associations are not valid', {
    subCategory: 'crm.associations.INVALID_ASSOCIATIONS',
    context,
  })
}

const TEXT = { type: ['string', 'integer'] }
const END = { type: 'object', properties: { id: TEXT }, required: ['id'] }
const TYPES = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      associationCategory: { enum: ['HUBSPOT_DEFINED', 'USER_DEFINED', 'INTEGRATOR_DEFINED'] },
      associationTypeId: { type: 'integer' },
    },
    required: ['associationCategory', 'associationTypeId'],
  },
}

/** Of a create of a record. */
export const LINKS = {
  type: 'array',
  items: { type: 'object', properties: { to: END, types: { ...TYPES, minItems: 1 } }, required: ['to', 'types'] },
}

function inputsOf(properties: Row, maxItems: number) {
  const items = { type: 'object', properties, required: Object.keys(properties) }
  return {
    type: 'object',
    properties: { inputs: { type: 'array', minItems: 1, maxItems, items } },
    required: ['inputs'],
  }
}

const PAIRS = inputsOf({ from: END, to: END }, CREATED_MAX)
const LABELLED = inputsOf({ from: END, to: END, types: TYPES }, CREATED_MAX)
const ARCHIVED = inputsOf({ from: END, to: { type: 'array', items: END } }, CREATED_MAX)
const READ = inputsOf({ id: TEXT }, READ_MAX)
const LABEL = {
  type: 'object',
  properties: { label: { type: 'string' }, name: { type: 'string' }, inverseLabel: { type: 'string' } },
  required: ['label', 'name'],
}

interface End {
  readonly id: string | number
}
interface Pair<To = End> {
  readonly from: End
  readonly to: To
  readonly types: readonly WrittenType[]
}
interface Inputs<Input> {
  readonly inputs: readonly Input[]
}

/** What the routes need of an account. */
interface Records {
  readonly associations: Associations
  type(nameOrId: string): ObjectType
  /** Refuses a record that is not there. */
  requireRecord(ref: Ref): void
}

type Ends = (params: Readonly<Record<string, string>>) => readonly [ObjectType, ObjectType]

export function associationRoutes(records: Records): Route[] {
  const ends: Ends = ({ from = '', to = '' }) => [records.type(from), records.type(to)]
  return [...batchRoutes(records, ends), ...labelRoutes(records, ends), ...singleRoutes(records, ends)]
}

function labelRoutes({ associations }: Records, ends: Ends): Route[] {
  const path = '/crm/v4/associations/:from/:to/labels'
  return [
    {
      method: 'GET',
      path,
      answer: (_, params) => ({
        status: 200,
        body: { results: associations.definitions(...ends(params)).map(shownType) },
      }),
    },
    {
      method: 'POST',
      path,
      answer: (call, params) => {
        const [from, to] = ends(params)
        const { label, inverseLabel } = takeBody<{ label: string; inverseLabel?: string }>(call, LABEL)
        if (associations.definitions(from, to).some((one) => one.label === label))
          return invalid(`A label ${label} already exists.`)
        const made = associations.defineOwn(from, to, label, inverseLabel)
        return { status: 200, body: { results: made.map(shownType) } }
      },
    },
  ]
}

function batchRoutes(records: Records, ends: Ends): Route[] {
  const { associations } = records
  const base = '/crm/v4/associations/:from/:to/batch'
  const route = (name: string, answer: (call: Call, from: ObjectType, to: ObjectType) => Answer): Route => ({
    method: 'POST',
    path: `${base}/${name}`,
    answer: (call, params) => answer(call, ...ends(params)),
  })
  return [
    route('create', (call, from, to) =>
      batchAnswer(
        201,
        eachInput(takeBody<Inputs<Pair>>(call, LABELLED).inputs, ({ from: one, to: other, types }) => {
          const definitions = types.map((type) => associations.find(from, to, type))
          const pair = requirePair(records, refOf(from, one), refOf(to, other))
          // Without a type nothing is linked, and nothing is said of it.
          if (definitions.length === 0) return []
          return [shownLink(...pair, associations.link(...pair, definitions))]
        }),
      ),
    ),
    route('associate/default', (call, from, to) =>
      batchAnswer(
        200,
        eachInput(takeBody<Inputs<Pair>>(call, PAIRS).inputs, ({ from: one, to: other }) => {
          const pair = requirePair(records, refOf(from, one), refOf(to, other))
          associations.link(...pair, [])
          const { category, typeId } = associations.unlabelled(from, to)
          const associationSpec = { associationCategory: category, associationTypeId: typeId }
          return [{ from: { id: pair[0].id }, to: { id: pair[1].id }, associationSpec }]
        }),
      ),
    ),
    route('archive', (call, from, to) => {
      for (const { from: one, to: others } of takeBody<Inputs<Pair<readonly End[]>>>(call, ARCHIVED).inputs)
        for (const other of others) associations.unlink(refOf(from, one), refOf(to, other))
      return { status: 204 }
    }),
    route('labels/archive', (call, from, to) => {
      for (const { from: one, to: other, types } of takeBody<Inputs<Pair>>(call, LABELLED).inputs)
        associations.removeLabels(refOf(from, one), refOf(to, other), types)
      return { status: 204 }
    }),
    route('read', (call, from, to) =>
      batchAnswer(
        200,
        eachInput(takeBody<Inputs<End & { readonly after?: string }>>(call, READ).inputs, ({ id, after }) => {
          const all = associations.of(refOf(from, { id }), to)
          if (all.length === 0) return noneFound(from, to, String(id))
          return [{ from: { id: String(id) }, ...pageOf(all, after) }]
        }),
      ),
    ),
  ]
}

function singleRoutes(records: Records, ends: Ends): Route[] {
  const { associations } = records
  const list = '/crm/v4/objects/:from/:id/associations/:to'
  const pairOf = (params: Readonly<Record<string, string>>) => {
    const [from, to] = ends(params)
    return requirePair(records, { type: from, id: params.id ?? '' }, { type: to, id: params.other ?? '' })
  }
  const put = (
    path: string,
    typesOf: (call: Call, from: ObjectType, to: ObjectType) => readonly Definition[],
  ): Route => ({
    method: 'PUT',
    path,
    answer: (call, params) => {
      const types = typesOf(call, ...ends(params))
      const pair = pairOf(params)
      return { status: 201, body: shownLink(...pair, associations.link(...pair, types)) }
    },
  })
  return [
    put('/crm/v4/objects/:from/:id/associations/default/:to/:other', () => []),
    put(`${list}/:other`, (call, from, to) =>
      takeBody<readonly WrittenType[]>(call, TYPES).map((type) => associations.find(from, to, type)),
    ),
    {
      method: 'GET',
      path: list,
      answer: ({ query }, params) => {
        const [from, to] = ends(params)
        const ref = { type: from, id: params.id ?? '' }
        records.requireRecord(ref)
        const { to: results, ...paging } = pageOf(associations.of(ref, to), query.get('after') ?? undefined)
        return { status: 200, body: { results, ...paging } }
      },
    },
    {
      method: 'DELETE',
      path: `${list}/:other`,
      answer: (_, params) => {
        const [from, to] = ends(params)
        associations.unlink({ type: from, id: params.id ?? '' }, { type: to, id: params.other ?? '' })
        return { status: 204 }
      },
    },
  ]
}

/** `after` is the id after which the next page begins. */
function pageOf(all: ReturnType<Associations['of']>, after = '0') {
  const rest = all.filter(({ id }) => id > Number(after))
  const page = rest.slice(0, PAGE)
  const to = page.map(({ id, types }) => ({ toObjectId: id, associationTypes: types.map(shownType) }))
  return rest.length > PAGE ? { to, paging: { next: { after: String(page.at(-1)?.id) } } } : { to }
}

function refOf(type: ObjectType, { id }: End): Ref {
  return { type, id: String(id) }
}

function requirePair(records: Records, ...pair: [Ref, Ref]): [Ref, Ref] {
  for (const ref of pair) records.requireRecord(ref)
  return pair
}

function eachInput<Input>(inputs: readonly Input[], answer: (input: Input) => readonly Row[]) {
  const errors: ErrorBody[] = []
  const results = inputs.flatMap((input) => {
    try {
      return answer(input)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { correlationId: _, ...body } = error.answer.body as ErrorBody
      errors.push(body as ErrorBody)
      return []
    }
  })
  return { results, errors }
}

function noneFound(from: ObjectType, to: ObjectType, id: string): never {
  const [one, other] = [from.singular, to.singular]
  return refuse(404, 'OBJECT_NOT_FOUND', `No ${other} is associated with ${one} ${id}.`, {
    subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
    context: { fromObjectId: [id], fromObjectType: [one], toObjectType: [other] },
  })
}

function shownType({ category, typeId, label }: Definition): Row {
  return { category, typeId, label }
}

function shownLink(from: Ref, to: Ref, types: readonly Definition[]): Row {
  return {
    fromObjectTypeId: from.type.id,
    fromObjectId: Number(from.id),
    toObjectTypeId: to.type.id,
    toObjectId: Number(to.id),
    labels: types.flatMap(({ label }) => label ?? []),
  }
}
