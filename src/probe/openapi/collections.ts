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
  /** The name often is something else. */
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
  const at = segmentsOf(path)
  const slots = slotsOf(api, path, resource).map((slot) => {
    const text = wanted[at.findIndex((segment) => parameterIn(segment) === slot.name)]
    return text === undefined || parameterIn(text) ? slot : ({ type: 'value', name: slot.name, text } as const)
  })
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
  const ofItem = new Set<string>(items[0] === undefined ? [] : api.methods(items[0]).keys())
  const isDeprecated = [...methods.values()].every((each) => each.isDeprecated)
  const offered = [
    methods.has('get') ? 3 : hasQuery ? 2 : 0,
    methods.has('post') ? 3 : 0,
    ofItem.has('get') ? 2 : 0,
    ['patch', 'put', 'post'].some((method) => ofItem.has(method)) ? 2 : 0,
    ofItem.has('delete') ? 1 : 0,
    isDeprecated ? -3 : 0,
  ]
  const score = offered.reduce((sum, each) => sum + each, fit * 5 + placeScore(segments, slots))
  return { resource, path, slots, isDoubtful: fit === 1, score }
}

function placeScore(segments: readonly string[], slots: Slots): number {
  const [version = '0'] = segments.flatMap((segment) => /^v(\d{1,2})$/i.exec(segment)?.[1] ?? [])
  const costs = { parent: 1, value: 0.5, guess: 0.5, variable: 0.5, foreign: 8 }
  return slots.reduce((score, { type }) => score - costs[type], Number(version) / 5 - segments.length / 4)
}

/** Paths of one record, the one with the most methods first. */
export function itemPathsOf(api: ApiDescription, path: string): readonly string[] {
  const segments = segmentsOf(path)
  const lastOf = (each: string) => segmentsOf(each).at(-1)
  const below = api.below(segments.map(bareSegment).join('/')).filter((each) => parameterIn(lastOf(each)) !== undefined)
  const beside = api.below(segments.slice(0, -1).join('/'))
  const keyed = segments.length === 0 ? [] : beside.filter((each) => keyIn(lastOf(each))?.before === segments.at(-1))
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
  const kind = slots.find(({ type }) => type === 'value' || type === 'guess')
  const fit = nameFit(resource, name)
  if (fit > 0) return isParameter && !kind ? 0 : fit
  if ((Object.keys(RESOURCES) as Resource[]).some((each) => nameFit(each, name) === 2)) return 0
  const isOfAnyKind = resource === 'contact' || resource === 'deal'
  if (kind && isOfAnyKind && (isParameter || ANY_RECORDS.includes(foldedName(name))))
    return kind.type === 'value' ? 2 : 1
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
  const answer = decisions.answer(plural)
  if (answer === 'none') return undefined
  const found = findCollections(api, resource)
  // Notes are listed below deals, and read and changed elsewhere.
  const parent = PARENTS[resource]
  const isUsable = (each: Collection) =>
    !hasSlot(each, 'foreign') && (!parent || made.has(parent) || !hasSlot(each, 'parent'))
  const usable = found.filter(isUsable)
  const collection = answer === undefined ? usable[0] : namedCollection(api, resource, answer)
  if (answer !== undefined && !collection) throw unknownPath(plural, answer, found)
  if (!collection) decideAbsent(resource, found[0], decisions)
  else if (answer === undefined) decideDoubts(usable, decisions)
  return collection && { collection, other: parent && usable.find(({ path }) => path !== collection.path) }
}

/** Whether stages have a list of their own, of all pipelines. */
export function hasFlatStages(api: ApiDescription): boolean {
  const [best] = findCollections(api, 'stage')
  return best !== undefined && !best.isDoubtful && !hasSlot(best, 'guess') && !hasSlot(best, 'parent')
}

function shown(collection: Collection): string {
  return textOf(collection.path, collection)
}

function decideAbsent(resource: Resource, other: Collection | undefined, decisions: Decisions): void {
  const { plural } = RESOURCES[resource]
  const why = other ? `; ${shown(other)} belongs to records of another kind` : ''
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

function decideDoubts([best, ...others]: readonly Collection[], decisions: Decisions): void {
  if (!best) return
  const { plural } = RESOURCES[best.resource]
  // Another version, or something else that belongs to these records, as /customfields/contacts, is no choice.
  const plain = ({ path }: Collection) => path.replace(/\/v\d+(?=\/)/gi, '')
  const close = others.filter((each) => best.score - each.score < CLOSE && !plain(each).endsWith(plain(best)))
  const [path = '', ...paths] = [best, ...close.slice(0, MOST_CHOICES)].map(shown)
  const guess = best.slots.find(({ type }) => type === 'guess')
  const doubt = guess
    ? `the document does not list the values of {${guess.name}}: are ${plural} at ${path}?`
    : paths.length > 0
      ? `the document also has ${paths.join(', ')}: is ${path} the path of ${plural}?`
      : best.isDoubtful && `are ${plural} at ${path}? The name does not say so for sure`
  const question = { id: plural, ask: askOf(plural), choices: [path, ...paths, 'none'] }
  if (doubt !== false) decisions.decide(`objects.${plural}`, doubt, question)
}

function unknownPath(plural: string, path: string, found: readonly Collection[]): CrmError {
  const known = found.slice(0, 5).map(shown).join(', ')
  return new CrmError('usage', `the document has no path ${JSON.stringify(path)} for ${plural}`, {
    hint: known === '' ? `give a path of the document, or --resource ${plural}=none` : `candidates: ${known}`,
  })
}
