import type { Resource } from '../../core/resources/registry.ts'
import type { ApiDescription } from './api-description.ts'
import { bareSegment, keyIn, parameterIn, type Slots, segmentsOf, slotsOf } from './path-parts.ts'
import { foldedName, isIdOf, isOther, nameFit } from './server-names.ts'

/** A path of the document that may be the list of a resource. */
export interface Collection {
  readonly resource: Resource
  /** As in the document. */
  readonly path: string
  readonly slots: Slots
  /** Its name, or the value of a parameter, is often something else. */
  readonly isDoubtful: boolean
  readonly score: number
}

const LEAST_SCORE = 6

/** The collections that may be the resource, the best first. */
export function findCollections(api: ApiDescription, resource: Resource): readonly Collection[] {
  const found = api.paths.flatMap((path) => collectionAt(api, path, resource) ?? [])
  return found.filter(({ score }) => score >= LEAST_SCORE).toSorted((one, other) => other.score - one.score)
}

/** The collection that the person names, with literal values for parameters of its path. */
export function namedCollection(api: ApiDescription, resource: Resource, named: string): Collection | undefined {
  const wanted = segmentsOf(named)
  for (const path of [named, ...api.paths]) {
    const segments = segmentsOf(path)
    if (segments.length !== wanted.length || api.methods(path).size === 0) continue
    const isSame = segments.every((segment, index) => parameterIn(segment) !== undefined || segment === wanted[index])
    if (!isSame) continue
    const slots = new Map(slotsOf(api, path, resource))
    for (const [index, segment] of segments.entries()) {
      const name = parameterIn(segment)
      const value = wanted[index] ?? ''
      if (name !== undefined && parameterIn(value) === undefined)
        slots.set(name, { type: 'value', value, isSure: true })
    }
    return { resource, path, slots, isDoubtful: false, score: Number.POSITIVE_INFINITY }
  }
  return undefined
}

function collectionAt(api: ApiDescription, path: string, resource: Resource): Collection | undefined {
  const methods = api.methods(path)
  const segments = segmentsOf(path)
  const last = segments.at(-1)
  if (last === undefined || (!methods.has('get') && !methods.has('post') && !hasQuery(api, path))) return undefined
  const items = itemPathsOf(api, path)
  if (parameterIn(last) !== undefined && items.length === 0) return undefined
  const slots = slotsOf(api, path, resource)
  const fit = fitOf(segments, { resource, slots, items })
  if (fit === 0) return undefined
  const isGuess = [...slots.values()].some((slot) => slot.type === 'value' && !slot.isSure)
  const score = fit * 5 + offerScore(api, path, items) + placeScore(segments, slots) + deprecation(api, path)
  return { resource, path, slots, isDoubtful: fit === 1 || isGuess, score }
}

function hasQuery(api: ApiDescription, path: string): boolean {
  return ['query', 'search', 'list'].some((name) => api.method(`${path}/${name}`, 'post') !== undefined)
}

/** Paths of one record, the one with the most methods first. */
export function itemPathsOf(api: ApiDescription, path: string): readonly string[] {
  const segments = segmentsOf(path)
  const parent = segments.map(bareSegment).join('/')
  const below = api.below(parent).filter((each) => parameterIn(segmentsOf(each).at(-1)) !== undefined)
  const keyed = api.below(segments.slice(0, -1).join('/')).filter((each) => isKeyOf(each, segments.at(-1)))
  return [...below, ...keyed].toSorted((one, other) => api.methods(other).size - api.methods(one).size)
}

function isKeyOf(path: string, name: string | undefined): boolean {
  const last = segmentsOf(path).at(-1)
  return keyIn(last) !== undefined && last?.replace(/\(.*$/, '') === name
}

/** Names of collections of records of any kind. */
const ANY_RECORDS = ['records', 'objects', 'items', 'entities', 'record', 'data']

function fitOf(
  segments: readonly string[],
  { resource, slots, items }: { readonly resource: Resource; readonly slots: Slots; readonly items: readonly string[] },
): 0 | 1 | 2 {
  const literals = segments.filter((segment) => parameterIn(segment) === undefined).map(bareSegment)
  const name = literals.at(-1) ?? ''
  const fit = nameFit(resource, name)
  if (fit > 0) return parameterIn(segments.at(-1)) === undefined || hasValue(slots) ? fit : 0
  if (isOther(resource, name)) return 0
  const value = [...slots.values()].find((slot) => slot.type === 'value')
  const isOfAnyKind = resource === 'contact' || resource === 'deal'
  if (value && isOfAnyKind && (ANY_RECORDS.includes(foldedName(name)) || parameterIn(segments.at(-1)) !== undefined)) {
    return value.isSure ? 2 : 1
  }
  const isNamedByItems = items.some((item) => isIdOf(resource, parameterIn(segmentsOf(item).at(-1)) ?? ''))
  return isNamedByItems && parameterIn(segments.at(-1)) === undefined && !ACTIONS.test(name) ? 1 : 0
}

const ACTIONS = /^(?:search|query|batch|bulk|import|export|merge|count|archived?|delete|update|create|get|assign)/i

function hasValue(slots: Slots): boolean {
  return [...slots.values()].some(({ type }) => type === 'value')
}

function offerScore(api: ApiDescription, path: string, items: readonly string[]): number {
  const methods = api.methods(path)
  const [item] = items
  const ofItem = item === undefined ? undefined : api.methods(item)
  const points = [
    methods.has('get') ? 3 : hasQuery(api, path) ? 2 : 0,
    methods.has('post') ? 3 : 0,
    ofItem?.has('get') ? 2 : 0,
    ofItem?.has('patch') || ofItem?.has('put') || ofItem?.has('post') ? 2 : 0,
    ofItem?.has('delete') ? 1 : 0,
  ]
  return points.reduce((sum, each) => sum + each, 0)
}

function placeScore(segments: readonly string[], slots: Slots): number {
  const version = segments.map((segment) => /^v(\d{1,2})$/i.exec(segment)?.[1]).find((number) => number)
  let score = Number(version ?? 0) / 5 - segments.length / 4
  for (const { type } of slots.values()) score -= { parent: 1, value: 0.5, variable: 0.5, foreign: 8 }[type]
  return score
}

function deprecation(api: ApiDescription, path: string): number {
  return [...api.methods(path).values()].every(({ isDeprecated }) => isDeprecated) ? -3 : 0
}
