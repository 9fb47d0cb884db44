import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { WrittenConnector, WrittenField } from '../src/connector/format.ts'

/** The first step of `npm run build`: writes what contract.yaml and crm.yaml say of each object as the types of the program. */
export const OBJECTS_FILE = 'src/core/resources/objects.ts'

const ROOT = new URL('..', import.meta.url)

const TYPES: Readonly<Record<string, string>> = { string: 'text', id: 'reference' }
const OPERATIONS = ['list', 'create', 'update', 'delete']
const SERVICE_OPERATIONS = ['get', ...OPERATIONS, 'test']

export function objectsText(): string {
  // The registry, and so what loads connectors, begins with the file that is written here.
  const contract = parse(yamlOf('contract')) as WrittenConnector
  const crm = merged(contract, parse(yamlOf('crm'))) as WrittenConnector
  const objects = Object.entries(crm.objects).map(([plural, { one, parent, path = plural, ...object }]) => {
    const record = { ...crm.record, ...object.record }
    const verbs = verbsOf(crm, plural)
    const operations = OPERATIONS.filter((name) => verbsOf(contract, plural).includes(name))
    const fields = Object.entries(object.fields ?? {}).map(([name, field]) => `      ${name}: ${fieldText(field)},\n`)
    const members = {
      singular: one,
      plural,
      path: path.replace('{parent}', '{id}'),
      parent: parent === undefined ? undefined : crm.objects[parent]?.one,
      recordPath: object.verbs?.delete?.path,
      operations,
      serviceOperations: SERVICE_OPERATIONS.filter((name) => verbs.includes(name) && !operations.includes(name)),
      filters: object.filters && Object.keys(object.filters),
    }
    const kept = !record.created_at ? '' : '      ...KEPT_BY_SERVER,\n'
    return `  ${one}: {\n${membersText(members)}    fields: {\n      ...ID,\n${fields.join('')}${kept}    },\n  },\n`
  })
  return `// Made by npm run build from connectors/contract.yaml and connectors/crm.yaml.
import { ID, KEPT_BY_SERVER } from './field.ts'

export const OBJECTS = {\n${objects.join('')}} as const\n`
}

/** `over` member by member; null removes. */
function merged(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over
  const members = Object.entries(over).map(([name, member]) => [name, merged(base[name], member)] as const)
  return Object.fromEntries(
    Object.entries({ ...base, ...Object.fromEntries(members) }).filter(([, each]) => each !== null),
  )
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function verbsOf({ verbs, objects }: WrittenConnector, plural: string): readonly string[] {
  const { only, ...object } = objects[plural] ?? { only: [] }
  const names = Object.keys({ ...verbs, ...object.verbs })
  return only ? names.filter((name) => only.some((each) => each === name)) : names
}

function yamlOf(name: string): string {
  return readFileSync(new URL(`connectors/${name}.yaml`, ROOT), 'utf8')
}

function membersText(members: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`).join('')
}

function fieldText(written: string | WrittenField): string {
  const {
    at,
    read,
    type = 'string',
    many,
    about = '',
    required,
    headings,
  } = typeof written === 'string' ? { at: written } : written
  return JSON.stringify({
    type: many ? 'texts' : (TYPES[type] ?? type),
    about,
    isRequired: required,
    isReadOnly: at === undefined && read !== undefined ? true : undefined,
    headings,
  })
}

if (import.meta.main) writeFileSync(new URL(OBJECTS_FILE, ROOT), objectsText())
