import type { JsonObject } from '../../core/json.ts'
import type { Resource } from '../../core/resources/registry.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { foldedName, isIdOf, nameFit } from '../names.ts'
import { printable } from './decisions.ts'
import type { ApiDescription } from './read-description.ts'

/** What stands in the draft for a parameter in the path of a collection; foreign: the id of a record of another kind. */
type Slot =
  /** `isSure`: the document names this value. */
  | { readonly type: 'value'; readonly value: string; readonly isSure: boolean }
  | { readonly type: 'variable'; readonly ask: string }
  | { readonly type: 'parent' | 'foreign' }

export type Slots = ReadonlyMap<string, Slot>

export const PARENTS: Readonly<Partial<Record<Resource, Resource>>> = { note: 'deal', stage: 'pipeline' }

/** Parameters that name the kind of the records. */
const KINDS =
  /^(?:object(?:type|name|typeid|id|slug)?|module(?:name|apiname)?|entity(?:type|name)?|resource(?:type)?|recordtype|type)$/

/** Parameters that name the account. */
const ACCOUNTS =
  /^(?:account|workspace|organi[sz]ation|org|company|tenant|team|space|project|store|location|portal|business|instance|site|database|subdomain|domain|region|version|apiversion)(?:id|key|slug|name|uuid)?$/

export function hasSlot({ slots }: { readonly slots: Slots }, type: Slot['type']): boolean {
  return [...slots.values()].some((slot) => slot.type === type)
}

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

export function slotsOf(api: ApiDescription, path: string, resource: Resource): Slots {
  const segments = segmentsOf(path)
  const parameters = [...api.methods(path).values()].flatMap((method) => method.parameters)
  const slots = segments.flatMap((segment, index): readonly (readonly [string, Slot])[] => {
    const key = keyIn(segment)
    const name = parameterIn(segment) ?? key
    if (name === undefined) return []
    const before = key === undefined ? segments[index - 1] : segment.replace(/\(.*$/, '')
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
    const named = [...(parameter?.schema.values ?? []), parameter?.example]
    const values = named.filter((value) => typeof value === 'string')
    const at = { name, before, values, isLast: index === segments.length - 1 }
    return [[name, slotOf(resource, at) ?? placeOf(at, parameter?.description)]]
  })
  return new Map(slots)
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
function slotOf(resource: Resource, { name, before = '', values, isLast }: Position): Slot | undefined {
  const parent = PARENTS[resource]
  const isKind = KINDS.test(foldedName(name))
  if (!isLast && !isKind && parent && (isIdOf(parent, name) || nameFit(parent, before) > 0)) return { type: 'parent' }
  // A server is asked for the pipelines and stages of deals.
  const kind = resource === 'pipeline' || resource === 'stage' ? 'deal' : resource
  const value = values.find((each) => nameFit(kind, each) === 2) ?? values.find((each) => nameFit(kind, each) > 0)
  if (value !== undefined && (isKind || isLast)) return { type: 'value', value, isSure: true }
  return isKind ? { type: 'value', value: RESOURCES[kind].plural, isSure: false } : undefined
}

function placeOf({ name, before }: Position, description: string | undefined): Slot {
  const isOfRecord =
    before !== undefined &&
    parameterIn(before) === undefined &&
    nameFit('contact', before) + nameFit('deal', before) > 0
  const isAccount =
    ACCOUNTS.test(foldedName(name)) || /^(?:account|workspace|tenant|org|location)s?$/i.test(before ?? name)
  const isVariable = !isOfRecord && (isAccount || before === undefined)
  return isVariable ? { type: 'variable', ask: askOf(name, description) } : { type: 'foreign' }
}

/** Parameters in a path of the document as they stand in the draft; the one after the slots is the id. */
export function textOf(path: string, { slots, path: own }: { readonly slots: Slots; readonly path: string }): string {
  const order = [...slots]
  const count = segmentsOf(own).length
  const texts = segmentsOf(path).map((segment, index) => {
    const name = parameterIn(segment) ?? keyIn(segment)
    if (name === undefined) return segment
    const [slotName = '', slot] = order.shift() ?? []
    const isOfCollection = index < count && slot !== undefined
    const text = !isOfCollection
      ? '{id}'
      : slot.type === 'parent'
        ? '{parent}'
        : slot.type === 'value'
          ? slot.value
          : `{${variableName(slotName)}}`
    return segment.replace(`{${name}}`, text)
  })
  // Characters that no URI path holds (RFC 3986 section 3.3) stand encoded in it.
  const encoded = (text: string) => text.toWellFormed().replace(/[^\w\-.~!$&'()*+,;=:@%{}]/gu, encodeURIComponent)
  return `/${texts.map(encoded).join('/')}${path.endsWith('/') ? '/' : ''}`
}

/** The path of a request, where it is not that of its verb: `{object}` is the path of the object. */
export function pathMember(verb: string, text: string, object: string): JsonObject {
  const usual = ['get', 'update', 'delete'].includes(verb) ? `${object}/{id}` : object
  if (text === usual) return {}
  return { path: text.startsWith(object) ? `{object}${text.slice(object.length)}` : text }
}

const ASK_CHARS = 80

/** A question of one short line. */
export function askOf(name: string, description = ''): string {
  const line = printable(description).replace(/\s+/g, ' ').trim()
  const sentence = /^.*?(?=[.:](?:\s|$))/.exec(line)?.[0] ?? line
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
