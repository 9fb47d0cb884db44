import { oneLine } from '../../api/errors/one-line.ts'
import type { JsonObject } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { foldedName, isIdOf, nameFit } from '../names.ts'
import { printable } from './decisions.ts'
import type { ApiDescription } from './read-description.ts'

/**
 * A parameter in the path of a collection. `guess`: the document does not list its values; `variable`: of the account, asked for at
 * login; `foreign`: the id of a record of another kind.
 */
interface Slot {
  readonly type: 'value' | 'guess' | 'variable' | 'parent' | 'foreign'
  readonly name: string
  /** What stands for it in the draft. */
  readonly text: string
  readonly description?: string | undefined
}

export type Slots = readonly Slot[]

export const PARENTS: Readonly<Partial<Record<Resource, Resource>>> = { note: 'deal', stage: 'pipeline' }

/** Parameters that name the kind of the records. */
const KINDS =
  /^(?:object(?:type|name|typeid|id|slug)?|module(?:name|apiname)?|entity(?:type|name)?|resource(?:type)?|recordtype|type)$/

/** Parameters that name the account. */
const ACCOUNTS =
  /^(?:account|workspace|organi[sz]ation|org|company|tenant|team|space|project|store|location|portal|business|instance|site|database|subdomain|domain|region|version|apiversion)(?:id|key|slug|name|uuid)?$/

export function hasSlot({ slots }: { readonly slots: Slots }, type: Slot['type']): boolean {
  return slots.some((slot) => slot.type === type)
}

export function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** The name of the parameter that a segment is. */
export function parameterIn(segment: string | undefined): string | undefined {
  return /^\{([^{}]+)\}(?:\.\w+)?$/.exec(segment ?? '')?.[1]
}

/** `contacts` and `id` of `contacts({id})` (OData), or only the name of the parameter that a segment is. */
export function keyIn(segment = ''): { readonly before?: string | undefined; readonly name: string } | undefined {
  const [, before, key] = /^([^(){}]+)\(["']?\{([^{}]+)\}["']?\)$/.exec(segment) ?? []
  const name = key ?? parameterIn(segment)
  return name === undefined ? undefined : { before, name }
}

/** `contacts` of `contacts.json`. */
export function bareSegment(segment: string): string {
  return segment.replace(/\.(?:json|xml|\{\w+\})$/i, '')
}

export function slotsOf(api: ApiDescription, path: string, resource: Resource): Slots {
  const segments = segmentsOf(path)
  const parameters = [...api.methods(path).values()].flatMap((method) => method.parameters)
  return segments.flatMap((segment, index) => {
    const key = keyIn(segment)
    if (!key) return []
    const { name, before = segments[index - 1] } = key
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
    const named = [...(parameter?.schema.values ?? []), parameter?.example]
    const values = named.filter((value) => typeof value === 'string')
    const at = { name, before, values, isLast: index === segments.length - 1 }
    const { description } = parameter ?? {}
    return [{ name, description, ...(kindSlot(resource, at) ?? placeSlot(at)) }]
  })
}

interface Position {
  readonly name: string
  /** The segment before it. */
  readonly before: string | undefined
  /** That the document names. */
  readonly values: readonly string[]
  readonly isLast: boolean
}

/** A parameter that is about the records themselves. */
function kindSlot(
  resource: Resource,
  { name, before = '', values, isLast }: Position,
): Pick<Slot, 'type' | 'text'> | undefined {
  const parent = PARENTS[resource]
  const isKind = KINDS.test(foldedName(name))
  if (!isLast && !isKind && parent && (isIdOf(parent, name) || nameFit(parent, before) > 0)) {
    return { type: 'parent', text: '{parent}' }
  }
  // A server is asked for the pipelines and stages of deals.
  const kind = resource === 'pipeline' || resource === 'stage' ? 'deal' : resource
  const value = values.find((each) => nameFit(kind, each) === 2) ?? values.find((each) => nameFit(kind, each) > 0)
  if (value !== undefined && (isKind || isLast)) return { type: 'value', text: value }
  return isKind ? { type: 'guess', text: RESOURCES[kind].plural } : undefined
}

function placeSlot({ name, before }: Position): Pick<Slot, 'type' | 'text'> {
  const isOfRecord = before !== undefined && (['contact', 'deal'] as const).some((each) => nameFit(each, before) > 0)
  const isAccount =
    ACCOUNTS.test(foldedName(name)) || /^(?:account|workspace|tenant|org|location)s?$/i.test(before ?? name)
  const isVariable = !isOfRecord && (isAccount || before === undefined)
  return { type: isVariable ? 'variable' : 'foreign', text: `{${variableName(name)}}` }
}

/** Parameters in a path of the document as they stand in the draft; the one after the slots is the id. */
export function textOf(path: string, { slots, path: own }: { readonly slots: Slots; readonly path: string }): string {
  const texts = slots.map(({ text }) => text)
  const count = segmentsOf(own).length
  const segments = segmentsOf(path).map((segment, index) => {
    const key = keyIn(segment)
    return key ? segment.replace(`{${key.name}}`, (index < count && texts.shift()) || '{id}') : segment
  })
  // Characters that no URI path holds (RFC 3986 section 3.3) stand encoded in it.
  const encoded = (text: string) => text.toWellFormed().replace(/[^\w\-.~!$&'()*+,;=:@%{}]/gu, encodeURIComponent)
  return `/${segments.map(encoded).join('/')}${path.endsWith('/') ? '/' : ''}`
}

/** The path of a request, where it is not that of its verb: `{object}` is the path of the object. */
export function pathMember(verb: string, text: string, object: string): JsonObject {
  const usual = ['get', 'update', 'delete'].includes(verb) ? `${object}/{id}` : object
  if (text === usual) return {}
  return { path: text.startsWith(object) ? `{object}${text.slice(object.length)}` : text }
}

/** Has a value asked for at login. Returns what stands for it. */
export function askAtLogin(variables: JsonObject, name: string, description = ''): string {
  const line = printable(description).replace(/\s+/g, ' ').trim()
  const sentence = /^.*?(?=[.:](?:\s|$))/.exec(line)?.[0] ?? line
  const ask = sentence === '' ? name.replace(/[_-]+/g, ' ') : oneLine(sentence, 80)
  variables[variableName(name)] = { ask }
  return `{${variableName(name)}}`
}

/** The name of a variable of a connector. */
function variableName(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()
  const plain = words.replace(/[^a-z\d]+/g, '_').replace(/^[_\d]+|_+$/g, '')
  const taken = ['', 'key', 'id', 'parent', 'record', 'value', 'values', 'items', 'row', 'by', 'select', 'last']
  return taken.includes(plain) ? `the_${plain || 'variable'}` : plain.slice(0, 32)
}
