import type { Resource } from '../../core/resources/registry.ts'
import type { ApiDescription, ApiParameter } from './api-description.ts'
import { printable } from './decisions.ts'
import { foldedName, isIdOf, nameFit, usualPlural } from './server-names.ts'

/** What stands in the draft for a parameter in the path of a collection. */
export type Slot =
  | { readonly type: 'parent'; readonly resource: Resource }
  /** `isSure`: the document names this value. */
  | { readonly type: 'value'; readonly value: string; readonly isSure: boolean }
  | { readonly type: 'variable'; readonly ask: string }
  /** The id of a record of another kind. */
  | { readonly type: 'foreign' }

export type Slots = ReadonlyMap<string, Slot>

export const PARENTS: Readonly<Partial<Record<Resource, Resource>>> = { note: 'deal', stage: 'pipeline' }

/** Parameters that name the kind of the records. */
const KINDS = [
  ...['object', 'objecttype', 'objectname', 'objecttypeid', 'objectid', 'objectslug', 'module', 'modulename'],
  ...['moduleapiname', 'entity', 'entitytype', 'entityname', 'resource', 'resourcetype', 'recordtype', 'type'],
]

/** Parameters that name the account. */
const ACCOUNTS =
  /^(?:account|workspace|organi[sz]ation|org|company|tenant|team|space|project|store|location|portal|business|instance|site|database|subdomain|domain|region|version|apiversion)(?:id|key|slug|name|uuid)?$/

export function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** The name of the parameter that a segment is. */
export function parameterIn(segment: string | undefined): string | undefined {
  return /^\{([^{}]+)\}(?:\.\w+)?$/.exec(segment ?? '')?.[1]
}

/** The parameter of a key in parentheses: `id` of `contacts({id})` (OData). */
export function keyIn(segment: string | undefined): string | undefined {
  return /^[^(){}]+\(["']?\{([^{}]+)\}["']?\)$/.exec(segment ?? '')?.[1]
}

/** `contacts` of `contacts.json`. */
export function bareSegment(segment: string): string {
  return segment.replace(/\.(?:json|xml|\{\w+\})$/i, '')
}

/** The kinds of records of which crm asks pipelines and stages. */
function kindOf(resource: Resource): Resource {
  return resource === 'pipeline' || resource === 'stage' ? 'deal' : resource
}

export function slotsOf(api: ApiDescription, path: string, resource: Resource): Slots {
  const segments = segmentsOf(path)
  const slots = new Map<string, Slot>()
  for (const [index, segment] of segments.entries()) {
    const key = keyIn(segment)
    const name = parameterIn(segment) ?? key
    if (name === undefined) continue
    const before = key === undefined ? segments[index - 1] : segment.replace(/\(.*$/, '')
    slots.set(
      name,
      slotOf(parameterOf(api, path, name), { name, before, resource, isLast: index === segments.length - 1 }),
    )
  }
  return slots
}

function parameterOf(api: ApiDescription, path: string, name: string): ApiParameter | undefined {
  const all = [...api.methods(path).values()].flatMap(({ parameters }) => parameters)
  return all.find((parameter) => parameter.in === 'path' && parameter.name === name)
}

interface Position {
  readonly name: string
  readonly before: string | undefined
  readonly resource: Resource
  readonly isLast: boolean
}

function slotOf(parameter: ApiParameter | undefined, { name, before, resource, isLast }: Position): Slot {
  const parent = PARENTS[resource]
  const isKind = KINDS.includes(foldedName(name))
  if (!isLast && !isKind && parent && (isIdOf(parent, name) || (before !== undefined && nameFit(parent, before) > 0))) {
    return { type: 'parent', resource: parent }
  }
  const kind = kindOf(resource)
  const examples = [...(parameter?.schema.values ?? []), parameter?.example].filter(
    (value) => typeof value === 'string',
  )
  const named = [2, 1].map((fit) => examples.find((value) => nameFit(kind, value) === fit)).find((value) => value)
  if (named !== undefined && (isKind || isLast)) return { type: 'value', value: named, isSure: true }
  if (isKind) return { type: 'value', value: usualPlural(kind), isSure: false }
  if (
    before !== undefined &&
    parameterIn(before) === undefined &&
    nameFit('contact', before) + nameFit('deal', before) > 0
  ) {
    return { type: 'foreign' }
  }
  const isAccount =
    ACCOUNTS.test(foldedName(name)) ||
    (before !== undefined && /^(?:accounts?|workspaces?|tenants?|orgs?|locations?)$/i.test(before))
  if (isAccount || before === undefined) return { type: 'variable', ask: askOf(name, parameter?.description) }
  return { type: 'foreign' }
}

const ASK_CHARS = 80

/** A question of one short line. */
export function askOf(name: string, description: string | undefined): string {
  const line = printable(description ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  const sentence = /^.*?[.:](?=\s|$)/.exec(line)?.[0].replace(/[.:]$/, '') ?? line
  if (sentence === '') return name.replace(/[_-]+/g, ' ')
  return sentence.length <= ASK_CHARS ? sentence : `${sentence.slice(0, ASK_CHARS - 1).toWellFormed()}…`
}

/** The name of a variable of a connector. */
export function variableName(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()
  const plain = words.replace(/[^a-z\d]+/g, '_').replace(/^[_\d]+|_+$/g, '')
  const taken = ['', 'key', 'id', 'parent', 'record', 'value', 'values', 'items', 'row', 'by', 'select', 'last']
  return taken.includes(plain) ? `the_${plain || 'variable'}` : plain.slice(0, 32)
}
