import { readFileSync, writeFileSync } from 'node:fs'
import type { WrittenField } from '../src/connector/format.ts'
import { writtenConnector } from '../src/connector/load-connector.ts'

/** The first step of `npm run build`: writes what contract.yaml and crm.yaml say of each object as the types of the program. */
export const OBJECTS_FILE = 'src/core/resources/objects.ts'

const ROOT = new URL('..', import.meta.url)

const TYPES: Readonly<Record<string, string>> = { string: 'text', id: 'reference' }
const OPERATIONS = ['list', 'create', 'update', 'delete']
const SERVICE_OPERATIONS = ['get', ...OPERATIONS, 'test']

export function objectsText(): string {
  const objectsOf = (name: string) =>
    writtenConnector(yamlOf(name), { fileName: `${name}.yaml`, baseOf: yamlOf }).objects
  const [contract, crm] = [objectsOf('contract'), objectsOf('crm')]
  const objects = Object.entries(crm).map(([plural, { one, parent, record = {}, path = plural, ...object }]) => {
    const verbs = { ...object.verbs }
    // What the contract lacks is all of it beyond the contract.
    const has = Object.keys((contract[plural] ?? object).verbs ?? {})
    const operations = OPERATIONS.filter((name) => has.includes(name))
    const fields = Object.entries(object.fields ?? {}).map(([name, field]) => `      ${name}: ${fieldText(field)},\n`)
    const members = {
      singular: one,
      plural,
      path: path.replace('{parent}', '{id}'),
      parent: parent === undefined ? undefined : crm[parent]?.one,
      recordPath: verbs.delete?.path === `${path}/{id}` ? undefined : verbs.delete?.path,
      operations,
      serviceOperations: SERVICE_OPERATIONS.filter((name) => name in verbs && !operations.includes(name)),
      filters: object.filters && Object.keys(object.filters),
    }
    const kept = record.created_at === undefined ? '' : '      ...KEPT_BY_SERVER,\n'
    return `  ${one}: {\n${membersText(members)}    fields: {\n      ...ID,\n${fields.join('')}${kept}    },\n  },\n`
  })
  return `// Made by npm run build from connectors/contract.yaml and connectors/crm.yaml.
import { ID, KEPT_BY_SERVER } from './field.ts'

export const OBJECTS = {\n${objects.join('')}} as const\n`
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
