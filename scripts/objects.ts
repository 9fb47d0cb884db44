import { readFileSync, writeFileSync } from 'node:fs'
import { merged, Problems, plain, readLocated } from '../src/connector/located.ts'
import { withShared } from '../src/connector/shared-parts.ts'

/** The first step of `npm run build`: writes what contract.yaml and crm.yaml say of each object as the types of the program. */
export const OBJECTS_FILE = 'src/core/resources/objects.ts'

const ROOT = new URL('..', import.meta.url)

const TYPES: Readonly<Record<string, string>> = { string: 'text', id: 'reference' }
const OPERATIONS = ['list', 'create', 'update', 'delete']
const SERVICE_OPERATIONS = ['get', ...OPERATIONS, 'test']

interface WrittenField {
  readonly at?: unknown
  readonly read?: unknown
  readonly type?: string
  readonly many?: boolean
  readonly about?: string
  readonly required?: boolean
  readonly options?: readonly string[]
  /** The plural of the object whose ids it has. */
  readonly to?: string
  readonly headings?: readonly string[]
}

interface WrittenObject {
  readonly one?: string
  readonly parent?: string
  readonly path?: string
  readonly record?: { readonly created_at?: unknown }
  readonly verbs?: Readonly<Record<string, { readonly path?: string } | null>>
  readonly filters?: object
  readonly fields?: Readonly<Record<string, string | WrittenField>>
}

interface Shared {
  readonly objects: Readonly<Record<string, WrittenObject>>
}

export function objectsText(): string {
  const [contract, crm] = [connectorOf('contract'), connectorOf('contract', 'crm')]
  const objects = Object.entries(crm.objects).map(([plural, { one, parent, path = plural, ...object }]) => {
    const verbs = verbsOf(crm, plural)
    const removal = object.verbs?.delete?.path
    // An object that the contract lacks has the operations of crm.yaml.
    const offering = contract.objects[plural] ? contract : crm
    const operations = OPERATIONS.filter((name) => verbsOf(offering, plural).includes(name))
    const fields = Object.entries(object.fields ?? {}).map(
      ([name, field]) => `      ${name}: ${fieldText(field, crm)},\n`,
    )
    const members = {
      singular: one,
      plural,
      path: path.replace('{parent}', '{id}'),
      parent: parent === undefined ? undefined : crm.objects[parent]?.one,
      recordPath: removal === `${path}/{id}` ? undefined : removal,
      operations,
      serviceOperations: SERVICE_OPERATIONS.filter((name) => verbs.includes(name) && !operations.includes(name)),
      filters: object.filters && Object.keys(object.filters),
    }
    const kept = !object.record?.created_at ? '' : '      ...KEPT_BY_SERVER,\n'
    return `  ${one}: {\n${membersText(members)}    fields: {\n      ...ID,\n${fields.join('')}${kept}    },\n  },\n`
  })
  return `// Made by npm run build from connectors/contract.yaml and connectors/crm.yaml.
import { ID, KEPT_BY_SERVER } from './field.ts'

export const OBJECTS = {\n${objects.join('')}} as const\n`
}

/** With what the connector says for all objects in each of them; what is removed is null. */
function connectorOf(...names: readonly string[]): Shared {
  const problems = new Problems()
  const trees = names.flatMap((name) => {
    const file = `${name}.yaml`
    return readLocated(file, readFileSync(new URL(`connectors/${file}`, ROOT), 'utf8'), problems) ?? []
  })
  if (problems.texts.length > 0) throw new Error(problems.texts.join('\n'))
  return plain(withShared(trees.reduce(merged))) as unknown as Shared
}

function verbsOf({ objects }: Shared, plural: string): readonly string[] {
  const verbs = Object.entries(objects[plural]?.verbs ?? {})
  return verbs.flatMap(([name, verb]) => (verb === null ? [] : [name]))
}

function membersText(members: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`).join('')
}

function fieldText(written: string | WrittenField, { objects }: Shared): string {
  const {
    at,
    read,
    type = 'string',
    many,
    about = '',
    required,
    options,
    to,
    headings,
  } = typeof written === 'string' ? { at: written } : written
  return JSON.stringify({
    type: many ? 'texts' : (TYPES[type] ?? type),
    about,
    isRequired: required,
    options,
    to: to === undefined ? undefined : objects[to]?.one,
    isReadOnly: at === undefined && read !== undefined ? true : undefined,
    headings,
  })
}

if (import.meta.main) writeFileSync(new URL(OBJECTS_FILE, ROOT), objectsText())
