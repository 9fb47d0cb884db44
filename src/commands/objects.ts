import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Api } from '../api/api.ts'
import type { ListedName } from '../api/connectors/listed-names.ts'
import type { Act, Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import type { Field, ResourceDefinition } from '../core/resources/field.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import { examples } from './command-tree.ts'
import { addScopedFlags } from './flags.ts'
import { onePage, printList } from './print.ts'

const OBJECT_COLUMNS = ['name', 'one', 'own', 'verbs']
const FIELD_COLUMNS = ['name', 'label', 'type', 'many', 'options', 'required', 'unique', 'read_only', 'to']

export function addObjects(program: CommandUnknownOpts, act: Act): void {
  const objects = program
    .command('objects')
    .description('list the objects of the server, and what can be done with each; kept for the profile')
    .addHelpText('after', examples('crm objects', "crm objects --jq 'map(.name)'"))
    .action(act(listObjects))
  addScopedFlags(objects, ['fields', 'where'])
}

/** Of a noun that the server has, loadCommands makes the commands instead. */
export function addRecords(program: CommandUnknownOpts, act: Act): void {
  program
    .command('records <noun>')
    .description('the commands of an object by its noun, also where crm has a command of that name')
    .addHelpText('after', examples('crm records contacts list', 'crm records contacts import people.csv --match email'))
    .action(
      act(async (_, noun: string) => {
        throw noObject(noun)
      }),
    )
}

export function addFields(program: CommandUnknownOpts, act: Act): void {
  const fields = program
    .command('fields <noun>')
    .description('list the fields of an object: types, options, and what must be there')
    .addHelpText('after', examples('crm fields contacts', 'crm fields deals -o json'))
    .action(act(listFields))
  addScopedFlags(fields, ['fields', 'where'])
}

const VERBS = ['list', 'get', 'create', 'update', 'delete', 'restore'] as const

async function listObjects(ctx: Context): Promise<undefined> {
  const { apiWithObjects } = await import('./server-objects.ts')
  const { offers } = (await apiWithObjects(ctx)).connector
  const items = Object.entries<ResourceDefinition>(RESOURCES).flatMap(([name, { plural, singular, isOwn }]) => {
    const verbs = VERBS.filter((verb) => offers(name as Resource, verb))
    return verbs.length === 0 ? [] : [{ name: plural, one: singular, own: isOwn === true, verbs }]
  })
  await printList(ctx, { pages: onePage(items), columns: OBJECT_COLUMNS, plural: 'objects' })
}

async function listFields(ctx: Context, noun: string): Promise<undefined> {
  const api = await ctx.api()
  const found = Object.entries<ResourceDefinition>(RESOURCES).find(
    ([name, { plural }]) => plural === noun && api.connector.document.resources[name as Resource] !== undefined,
  )
  if (!found) throw noObject(noun)
  const [name, { fields }] = found
  const resource = name as Resource
  const listed = (await api.listedNames(resource)) ?? []
  const known = new Set(Object.keys(fields))
  const byName = new Map(listed.map((one) => [one.name, one]))
  const { fields: described = {}, links, open } = api.connector.document.resources[resource] ?? {}
  const mapped = Object.keys(described)
  const others = [...mapped, ...listed.map(({ name: member }) => member)]
  const items = [
    ...Object.entries<Field>(fields).flatMap(([member, field]) => {
      const said = Object.hasOwn(described, member) ? described[member] : undefined
      if (!said && !field.isReadOnly && !open) return []
      return [{ ...shown(member, field), ...(said?.required && { required: true }) }]
    }),
    ...[...new Set(others)]
      .filter((member) => !known.has(member))
      .map((member) => otherField(member, byName.get(member))),
    ...(await Promise.all(
      Object.entries(links?.fields ?? {}).flatMap(([member, { noun }]) =>
        known.has(member) ? [] : [linkField(api, { resource, member, noun })],
      ),
    )),
  ]
  await printList(ctx, { pages: onePage(items), columns: FIELD_COLUMNS, plural: 'fields' })
}

/** A member of which the server says more than its name. */
function otherField(name: string, listed: ListedName | undefined): JsonObject {
  if (!listed) return { name, label: name }
  const {
    label = name,
    type = null,
    isMany = false,
    isReadOnly,
    isUnique = false,
    isRequired = false,
    options,
  } = listed
  const values = options?.map(({ value, label: shown }) => (value === shown ? value : `${value} (${shown})`)) ?? null
  return {
    name,
    label,
    type,
    many: isMany,
    options: values,
    required: isRequired,
    unique: isUnique,
    read_only: isReadOnly,
    to: null,
  }
}

interface LinkField {
  readonly resource: Resource
  readonly member: string
  /** Of the linked records. */
  readonly noun: string
}

/** A list of the ids of linked records; its options are labels. */
async function linkField(api: Api, { resource, member, noun }: LinkField): Promise<JsonObject> {
  const types = await api.linkTypes(resource, member)
  const labels = [...(types?.keys() ?? [])].filter((label) => label !== undefined)
  const own = { name: member, label: member, type: 'id', many: true, options: labels.length > 0 ? labels : null }
  return { ...own, required: false, unique: false, read_only: false, to: noun }
}

function noObject(noun: string): CrmError {
  const nouns = Object.values<ResourceDefinition>(RESOURCES).map(({ plural }) => plural)
  const near = nearest(noun, nouns)
  return new CrmError('usage', `the server has no object ${JSON.stringify(noun)}`, {
    hint: near === undefined ? 'crm objects' : `did you mean ${near}?`,
  })
}

const TYPES: Readonly<Record<string, string>> = { text: 'string', texts: 'string', reference: 'id' }

function shown(name: string, { type, label, options, isRequired, isUnique, isReadOnly, to }: Field): JsonObject {
  const all: Readonly<Record<string, ResourceDefinition>> = RESOURCES
  return {
    name,
    label: label ?? name,
    type: to === undefined ? (TYPES[type] ?? type) : 'id',
    many: type === 'texts',
    options: options ? [...options] : null,
    required: isRequired === true,
    unique: isUnique === true,
    read_only: isReadOnly === true,
    to: to === undefined ? null : (all[to]?.plural ?? null),
  }
}
