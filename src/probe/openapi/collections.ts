import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { foldedName, isIdOf, nameFit } from '../names.ts'
import type { Decisions } from './decisions.ts'
import { bareSegment, hasSlot, keyIn, PARENTS, parameterIn, type Slots, segmentsOf, slotsOf, textOf } from './paths.ts'
import type { ApiDescription } from './read-description.ts'

/** What the resources of a draft share. */
export interface Drafting {
  readonly api: ApiDescription
  readonly decisions: Decisions
  /** Asked for at login. */
  readonly variables: JsonObject
  /** The resources that the draft has. */
  readonly made: ReadonlyMap<Resource, { readonly value: JsonObject }>
}

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
function findCollections(api: ApiDescription, resource: Resource): readonly Collection[] {
  const found = api.paths.flatMap((path) => collectionAt(api, path, resource) ?? [])
  return found.filter(({ score }) => score >= LEAST_SCORE).toSorted((one, other) => other.score - one.score)
}

/** The collection that the person names, with literal values for parameters of its path. */
function namedCollection(api: ApiDescription, resource: Resource, named: string): Collection | undefined {
  const wanted = segmentsOf(named)
  const isSame = (path: string) => {
    const segments = segmentsOf(path)
    const isAt = (segment: string, index: number) => parameterIn(segment) !== undefined || segment === wanted[index]
    return segments.length === wanted.length && api.methods(path).size > 0 && segments.every(isAt)
  }
  const path = [named, ...api.paths].find(isSame)
  if (path === undefined) return undefined
  const slots = new Map(slotsOf(api, path, resource))
  for (const [index, segment] of segmentsOf(path).entries()) {
    const name = parameterIn(segment)
    const value = wanted[index] ?? ''
    if (name !== undefined && parameterIn(value) === undefined) slots.set(name, { type: 'value', value, isSure: true })
  }
  return { resource, path, slots, isDoubtful: false, score: Number.POSITIVE_INFINITY }
}

function collectionAt(api: ApiDescription, path: string, resource: Resource): Collection | undefined {
  const methods = api.methods(path)
  const segments = segmentsOf(path)
  const items = itemPathsOf(api, path)
  const hasQuery = ['query', 'search', 'list'].some((name) => api.method(`${path}/${name}`, 'post') !== undefined)
  if (segments.length === 0 || !(methods.has('get') || methods.has('post') || hasQuery)) return undefined
  if (parameterIn(segments.at(-1)) !== undefined && items.length === 0) return undefined
  const slots = slotsOf(api, path, resource)
  const fit = fitOf(segments, { resource, slots, items })
  if (fit === 0) return undefined
  const score = fit * 5 + placeScore(segments, slots) + offerScore(api, path, hasQuery)
  const isGuess = [...slots.values()].some((slot) => slot.type === 'value' && !slot.isSure)
  return { resource, path, slots, isDoubtful: fit === 1 || isGuess, score }
}

function offerScore(api: ApiDescription, path: string, hasQuery: boolean): number {
  const methods = api.methods(path)
  const [item] = itemPathsOf(api, path)
  const ofItem = new Set<string>(item === undefined ? [] : api.methods(item).keys())
  const points = [
    methods.has('get') ? 3 : hasQuery ? 2 : 0,
    methods.has('post') ? 3 : 0,
    ofItem.has('get') ? 2 : 0,
    ['patch', 'put', 'post'].some((method) => ofItem.has(method)) ? 2 : 0,
    ofItem.has('delete') ? 1 : 0,
    [...methods.values()].every(({ isDeprecated }) => isDeprecated) ? -3 : 0,
  ]
  return points.reduce((sum, each) => sum + each)
}

function placeScore(segments: readonly string[], slots: Slots): number {
  const [version = '0'] = segments.flatMap((segment) => /^v(\d{1,2})$/i.exec(segment)?.[1] ?? [])
  const costs = [...slots.values()].map(({ type }) => ({ parent: 1, value: 0.5, variable: 0.5, foreign: 8 })[type])
  return Number(version) / 5 - segments.length / 4 - costs.reduce((sum, each) => sum + each, 0)
}

/** Paths of one record, the one with the most methods first. */
export function itemPathsOf(api: ApiDescription, path: string): readonly string[] {
  const segments = segmentsOf(path)
  const below = api
    .below(segments.map(bareSegment).join('/'))
    .filter((each) => parameterIn(segmentsOf(each).at(-1)) !== undefined)
  const keyed = api.below(segments.slice(0, -1).join('/')).filter((each) => {
    const last = segmentsOf(each).at(-1)
    return keyIn(last) !== undefined && last?.replace(/\(.*$/, '') === segments.at(-1)
  })
  return [...below, ...keyed].toSorted((one, other) => api.methods(other).size - api.methods(one).size)
}

/** Names of collections of records of any kind. */
const ANY_RECORDS = ['records', 'objects', 'items', 'entities', 'record', 'data']
const ACTIONS = /^(?:search|query|batch|bulk|import|export|merge|count|archived?|delete|update|create|get|assign)/i

function fitOf(
  segments: readonly string[],
  { resource, slots, items }: Pick<Collection, 'resource' | 'slots'> & { readonly items: readonly string[] },
): 0 | 1 | 2 {
  const name = bareSegment(segments.findLast((segment) => parameterIn(segment) === undefined) ?? '')
  const isParameter = parameterIn(segments.at(-1)) !== undefined
  const value = [...slots.values()].find((slot) => slot.type === 'value')
  const fit = nameFit(resource, name)
  if (fit > 0) return isParameter && !value ? 0 : fit
  if ((Object.keys(RESOURCES) as Resource[]).some((each) => nameFit(each, name) === 2)) return 0
  const isOfAnyKind = resource === 'contact' || resource === 'deal'
  if (value && isOfAnyKind && (isParameter || ANY_RECORDS.includes(foldedName(name)))) return value.isSure ? 2 : 1
  const isNamedByItems = items.some((item) => isIdOf(resource, parameterIn(segmentsOf(item).at(-1)) ?? ''))
  return isNamedByItems && !isParameter && !ACTIONS.test(name) ? 1 : 0
}

export interface Chosen {
  readonly collection: Collection
  /** Another collection of the same records, for the operations that the first one lacks. */
  readonly other: Collection | undefined
}

/** The collection of a resource: the named one, else the best one, with a decision where it is not sure. */
export function chooseCollection(resource: Resource, { api, decisions, made }: Drafting): Chosen | undefined {
  const { plural } = RESOURCES[resource]
  const found = findCollections(api, resource)
  const usable = found.filter((each) => !hasSlot(each, 'foreign'))
  // Notes are listed below deals, and read and changed elsewhere.
  const parent = PARENTS[resource]
  const isUsable = (each: Collection) => !parent || made.has(parent) || !hasSlot(each, 'parent')
  const chosen = (collection: Collection) => ({
    collection,
    other: parent && usable.find((each) => each.path !== collection.path && isUsable(each)),
  })
  const answer = decisions.answer(plural)
  if (answer === 'none') return undefined
  if (answer !== undefined) {
    const collection = namedCollection(api, resource, answer)
    if (!collection) throw unknownPath(plural, answer, found)
    return chosen(collection)
  }
  const best = usable.find(isUsable)
  if (best) {
    decideDoubts(best, usable, decisions)
    return chosen(best)
  }
  const [nested] = usable
  if (nested && parent) {
    const where = `${shown(nested)}, below ${RESOURCES[parent].plural}, which the draft lacks`
    decisions.remark('objects', `${plural} are at ${where}`)
  } else remarkAbsent(resource, found, decisions)
  return undefined
}

/** Whether stages have a list of their own, of all pipelines. */
export function hasFlatStages(api: ApiDescription): boolean {
  const [best] = findCollections(api, 'stage')
  return best !== undefined && !best.isDoubtful && !hasSlot(best, 'parent')
}

function shown(collection: Collection): string {
  return textOf(collection.path, collection)
}

function remarkAbsent(resource: Resource, [foreign]: readonly Collection[], decisions: Decisions): void {
  const { plural } = RESOURCES[resource]
  const why = foreign ? `; ${shown(foreign)} belongs to records of another kind` : ''
  const text = `no path was found for ${plural}${why}: --resource ${plural}=/PATH, or ${plural}=none`
  if (resource !== 'contact' && resource !== 'deal') decisions.remark('objects', text)
  else decisions.decide('objects', text, { id: plural, ask: askOf(plural), choices: [] })
}

function askOf(plural: string): string {
  return `Which path lists the ${plural}? (none: not offered)`
}

/** Another collection that is as good as the best one is for a person to choose. */
const CLOSE = 1.5
const MOST_CHOICES = 8

function decideDoubts(best: Collection, found: readonly Collection[], decisions: Decisions): void {
  const { plural } = RESOURCES[best.resource]
  const close = found.filter(
    (each) => each !== best && best.score - each.score < CLOSE && !isSameOrBelow(each.path, best.path),
  )
  const [path = '', ...others] = [best, ...close.slice(0, MOST_CHOICES)].map(shown)
  const guess = [...best.slots].find(([, slot]) => slot.type === 'value' && !slot.isSure)
  const doubt = guess
    ? `the document does not list the values of {${guess[0]}}: are ${plural} at ${path}?`
    : others.length > 0
      ? `the document also has ${others.join(', ')}: is ${path} the path of ${plural}?`
      : best.isDoubtful && `are ${plural} at ${path}? The name does not say so for sure`
  if (doubt === false) return
  const question = { id: plural, ask: askOf(plural), choices: [path, ...others, 'none'] }
  decisions.decide(`objects.${plural}`, doubt, question)
}

/** Another version (the higher one has the better score), or something else that belongs to these records: `/customfields/contacts`. */
function isSameOrBelow(path: string, best: string): boolean {
  const plain = (text: string) => text.replace(/\/v\d+(?=\/)/gi, '')
  return plain(path).endsWith(plain(best))
}

function unknownPath(plural: string, path: string, found: readonly Collection[]): CrmError {
  const known = found.slice(0, 5).map(shown)
  return new CrmError('usage', `the document has no path ${JSON.stringify(path)} for ${plural}`, {
    hint:
      known.length > 0
        ? `candidates: ${known.join(', ')}`
        : `give a path of the document, or --resource ${plural}=none`,
  })
}
