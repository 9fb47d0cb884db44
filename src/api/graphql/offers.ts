import { LISTED_RESOURCES, type ListedResource } from '../../core/resources/registry.ts'
import { isLeaf, isList, isRequired, namedType, type Schema, type SchemaField, typeText } from './schema.ts'

/** A record by its id. Offers are plain data, because they are cached in a file. */
export interface ReadOffer {
  readonly query: string
  readonly field: string
}

/** A list: a Relay connection, or a plain list. */
export interface ListOffer {
  readonly query: string
  /** The members that lead to it. */
  readonly place: readonly string[]
  readonly shape: ListText['shape']
  readonly isPaged: boolean
}

export interface UpdateOffer {
  readonly query: string
  readonly field: string
  /** The member of the payload that contains the record. */
  readonly member: string
  /** The members of the input type. */
  readonly members: readonly string[]
}

/** A mutation of one `input`: a new secret, or a delivery that starts again. */
export interface MutationOffer {
  readonly query: string
  readonly field: string
}

/** What the GraphQL schema of a server supports; absent members are not supported. */
export interface GraphqlOffers extends Readonly<Partial<Record<ListedResource, ReadOffer>>> {
  readonly notes?: ListOffer
  readonly pipelines?: ListOffer
  readonly webhooks?: ListOffer
  readonly updateDeal?: UpdateOffer
  /** Subscriptions, each with its newest deliveries. */
  readonly newestDeliveries?: ListOffer
  /** All deliveries of one subscription. */
  readonly deliveries?: ListOffer
  readonly rotateWebhookSecret?: MutationOffer
  readonly resendDelivery?: MutationOffer
}

export type OfferName = keyof GraphqlOffers

/** Makes queries from a schema by conventional names and those of Relay, without guessing others. */
export function readOffers(schema: Schema): GraphqlOffers {
  return {
    ...Object.assign({}, ...LISTED_RESOURCES.map((resource) => named(resource, readOffer(schema, resource)))),
    ...named('notes', memberListOffer(schema, 'deal', 'notes')),
    ...named('pipelines', listOffer(schema, 'pipelines')),
    ...named('webhooks', listOffer(schema, 'webhooks')),
    ...named('updateDeal', updateOffer(schema)),
    ...named('newestDeliveries', newestDeliveriesOffer(schema)),
    ...named('deliveries', deliveriesOffer(schema)),
    ...named('rotateWebhookSecret', secretOffer(schema)),
    ...named('resendDelivery', resendOffer(schema)),
  }
}

function named<Name extends OfferName>(
  name: Name,
  offer: GraphqlOffers[Name] | undefined,
): Pick<GraphqlOffers, Name> | object {
  return offer === undefined ? {} : { [name]: offer }
}

function readOffer(schema: Schema, name: string): ReadOffer | undefined {
  const found = fieldById(schema, name)
  if (!found) return undefined
  const { field, idType } = found
  const query = `query ($id: ${idType}) { ${name}(id: $id) { ${selectionOf(schema, field)} } }`
  return { query, field: name }
}

/** The list `member` of the record `parent` with an id. */
function memberListOffer(schema: Schema, parent: string, member: string): ListOffer | undefined {
  const found = fieldById(schema, parent)
  const field = found && schema.fieldsOf(namedType(found.field.type).name).find(({ name }) => name === member)
  const list = field && listTextOf(schema, field)
  if (!found || !list) return undefined
  return {
    query: `query ($id: ${found.idType}${list.variables}) { ${parent}(id: $id) { ${list.text} } }`,
    place: [parent, member],
    shape: list.shape,
    isPaged: list.isPaged,
  }
}

function listOffer(schema: Schema, name: string): ListOffer | undefined {
  const field = schema.queries.find((each) => each.name === name)
  const list = field && listTextOf(schema, field)
  if (!list) return undefined
  const { shape, isPaged, variables } = list
  const declared = variables === '' ? '' : ` (${variables.slice(2)})`
  return { query: `query${declared} { ${list.text} }`, place: [name], shape, isPaged }
}

function updateOffer(schema: Schema): UpdateOffer | undefined {
  const field = schema.mutations.find(({ name }) => name === 'updateDeal')
  const input = field?.args.find(({ name }) => name === 'input')
  if (!field || !input || field.args.some((argument) => argument !== input && isRequired(argument))) return undefined
  const members = schema.inputsOf(namedType(input.type).name).map(({ name }) => name)
  const payload = schema.fieldsOf(namedType(field.type).name).find(({ name }) => name === 'deal')
  if (!payload || !members.includes('id')) return undefined
  const query = `mutation ($input: ${typeText(input.type)}) { updateDeal(input: $input) { deal { ${selectionOf(schema, payload)} } } }`
  return { query, field: 'updateDeal', member: 'deal', members }
}

/** How many come with a subscription; a server that shows no `pageInfo` may have more when it shows so many. */
export const NEWEST_DELIVERIES = 10

/** The list of subscriptions with `id` and `deliveries(first: 10)`, if they have both. */
function newestDeliveriesOffer(schema: Schema): ListOffer | undefined {
  const field = schema.queries.find(({ name }) => name === 'webhooks')
  const list = field && listTextOf(schema, field, (webhooks) => deliveriesOf(schema, webhooks))
  if (!list?.text.includes('deliveries')) return undefined
  const { shape, isPaged, variables } = list
  const declared = variables === '' ? '' : ` (${variables.slice(2)})`
  return { query: `query${declared} { ${list.text} }`, place: ['webhooks'], shape, isPaged }
}

function deliveriesOf(schema: Schema, { type }: SchemaField): string {
  const members = schema.fieldsOf(namedType(type).name)
  const field = members.find(({ name }) => name === 'deliveries')
  const inner = field && schema.fieldsOf(namedType(field.type).name)
  const nodes = inner?.find(({ name }) => name === 'nodes')
  const first = field?.args.find(({ name }) => name === 'first')
  if (!field || !nodes || !first || field.args.some((each) => each !== first && isRequired(each))) return '__typename'
  const pageInfo = inner?.some(({ name }) => name === 'pageInfo') ? ' pageInfo { hasNextPage }' : ''
  return `id deliveries(first: ${NEWEST_DELIVERIES}) { nodes { ${selectionOf(schema, nodes)} }${pageInfo} }`
}

/** Undefined if the server cuts the list, and no cursor leads to the rest. */
function deliveriesOffer(schema: Schema): ListOffer | undefined {
  const offer = memberListOffer(schema, 'webhook', 'deliveries')
  return offer?.isPaged || offer?.shape === 'list' ? offer : undefined
}

function secretOffer(schema: Schema): MutationOffer | undefined {
  return mutationOffer(schema, { field: 'rotateWebhookSecret', inputs: ['id'], shown: 'secret' })
}

function resendOffer(schema: Schema): MutationOffer | undefined {
  return mutationOffer(schema, { field: 'resendDelivery', inputs: ['webhookId', 'eventId'], shown: 'eventId' })
}

interface WantedMutation {
  readonly field: string
  /** The members of its `input` that are sent; no other may be required. */
  readonly inputs: readonly string[]
  /** The member of the answer that is read. */
  readonly shown: string
}

function mutationOffer(schema: Schema, { field: name, inputs, shown }: WantedMutation): MutationOffer | undefined {
  const field = schema.mutations.find((each) => each.name === name)
  const input = field?.args.find((argument) => argument.name === 'input')
  if (!field || !input || field.args.some((argument) => argument !== input && isRequired(argument))) return undefined
  const members = schema.inputsOf(namedType(input.type).name)
  const hasInputs = inputs.every((each) => members.some((member) => member.name === each))
  const isEnough = !members.some((member) => !inputs.includes(member.name) && isRequired(member))
  const isShown = schema.fieldsOf(namedType(field.type).name).some((each) => each.name === shown)
  if (!hasInputs || !isEnough || !isShown) return undefined
  return { query: `mutation ($input: ${typeText(input.type)}) { ${name}(input: $input) { ${shown} } }`, field: name }
}

/** A field with the argument `id` and no other required argument. */
function fieldById({ queries }: Schema, name: string): { field: SchemaField; idType: string } | undefined {
  const field = queries.find((each) => each.name === name)
  const id = field?.args.find((argument) => argument.name === 'id')
  if (!field || !id || field.args.some((argument) => argument !== id && isRequired(argument))) return undefined
  return { field, idType: typeText(id.type).replace(/!?$/, '!') }
}

interface ListText {
  readonly text: string
  /** Declarations, each after a comma. */
  readonly variables: string
  readonly shape: 'nodes' | 'edges' | 'list'
  readonly isPaged: boolean
}

function listTextOf(
  schema: Schema,
  field: SchemaField,
  select: (nodes: SchemaField) => string = (nodes) => selectionOf(schema, nodes),
): ListText | undefined {
  const own = field.args.filter(({ name }) => name === 'first' || name === 'after')
  if (field.args.some((argument) => isRequired(argument) && !own.includes(argument))) return undefined
  if (isList(field.type)) {
    return { text: `${field.name} { ${select(field)} }`, variables: '', shape: 'list', isPaged: false }
  }
  const members = schema.fieldsOf(namedType(field.type).name)
  const nodes = members.find(({ name }) => name === 'nodes')
  const edges = members.find(({ name }) => name === 'edges')
  const node = edges && schema.fieldsOf(namedType(edges.type).name).find(({ name }) => name === 'node')
  if (!members.some(({ name }) => name === 'pageInfo') || !(nodes ?? node)) return undefined
  const selected = nodes ? `nodes { ${select(nodes)} }` : `edges { node { ${node ? select(node) : ''} } }`
  const given = own.map(({ name }) => `${name}: $${name}`).join(', ')
  return {
    text: `${field.name}${given && `(${given})`} { ${selected} pageInfo { hasNextPage endCursor } }`,
    variables: own.map(({ name, type }) => `, $${name}: ${typeText(type)}`).join(''),
    shape: nodes ? 'nodes' : 'edges',
    isPaged: own.some(({ name }) => name === 'after'),
  }
}

/** `json` if the type has it, which is the whole record; else all scalars, and those of objects in lists. */
function selectionOf(schema: Schema, { type }: SchemaField): string {
  const free = schema.fieldsOf(namedType(type).name).filter(({ args }) => !args.some(isRequired))
  const whole = free.find((field) => field.name === 'json' && isLeaf(field.type))
  if (whole) return whole.name
  return free.flatMap((field) => partOf(schema, field)).join(' ') || '__typename'
}

function partOf(schema: Schema, { name, type }: SchemaField): readonly string[] {
  if (isLeaf(type)) return [name]
  if (!isList(type)) return []
  const inner = schema
    .fieldsOf(namedType(type).name)
    .filter((field) => isLeaf(field.type) && !field.args.some(isRequired))
  return inner.length === 0 ? [] : [`${name} { ${inner.map((field) => field.name).join(' ')} }`]
}
