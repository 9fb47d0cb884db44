import { CrmError } from '../../core/errors.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { ApiDescription } from './api-description.ts'
import { type Collection, findCollections, namedCollection } from './collections.ts'
import type { Decisions } from './decisions.ts'
import { PARENTS } from './path-parts.ts'
import { shownPath } from './path-texts.ts'

export interface Chosen {
  readonly collection: Collection
  /** Another collection of the same records, for the operations that the first one lacks. */
  readonly other: Collection | undefined
}

interface Choosing {
  readonly decisions: Decisions
  /** The resources that the draft has. */
  readonly made: ReadonlySet<Resource>
}

/** Another collection that is as good as the best one is for a person to choose. */
const CLOSE = 1.5
const MOST_CHOICES = 8

/** The collection of a resource: the named one, else the best one, with a decision where it is not sure. */
export function chooseCollection(api: ApiDescription, resource: Resource, choosing: Choosing): Chosen | undefined {
  const { decisions } = choosing
  const { plural } = RESOURCES[resource]
  const found = findCollections(api, resource)
  const answer = decisions.answer(plural)
  if (answer === 'none') return undefined
  if (answer !== undefined) {
    const collection = namedCollection(api, resource, answer)
    if (!collection) throw unknownPath(plural, answer, found)
    return { collection, other: otherOf(collection, found) }
  }
  const usable = found.filter((each) => !isForeign(each))
  const [best, ...others] = usable
  if (!best) {
    remarkAbsent(resource, found, decisions)
    return undefined
  }
  const chosen = withParent(best, others, choosing)
  if (chosen) decideDoubts(chosen.collection, usable, decisions)
  return chosen
}

/** Below a record of another kind, such as notes of contacts. */
function isForeign({ slots }: Collection): boolean {
  return [...slots.values()].some(({ type }) => type === 'foreign')
}

function isNested({ slots }: Collection): boolean {
  return [...slots.values()].some(({ type }) => type === 'parent')
}

/** Whether stages have a list of their own, of all pipelines. */
export function hasFlatStages(api: ApiDescription): boolean {
  const [best] = findCollections(api, 'stage')
  return best !== undefined && !best.isDoubtful && !isNested(best)
}

function remarkAbsent(resource: Resource, found: readonly Collection[], decisions: Decisions): void {
  const { plural } = RESOURCES[resource]
  const [foreign] = found
  const why = foreign ? `; ${shownPath(foreign.path, foreign.slots)} belongs to records of another kind` : ''
  const text = `no path was found for ${plural}${why}: --resource ${plural}=/PATH, or ${plural}=none`
  const isNeeded = resource === 'contact' || resource === 'deal'
  if (!isNeeded) decisions.remark(['resources'], text)
  else decisions.decide(['resources'], text, { id: plural, ask: askOf(plural), choices: [] })
}

function askOf(plural: string): string {
  return `Which path lists the ${plural}? (none: not offered)`
}

/** A list below its parent needs that parent in the draft. */
function withParent(
  best: Collection,
  others: readonly Collection[],
  { decisions, made }: Choosing,
): Chosen | undefined {
  const parent = PARENTS[best.resource]
  const other = otherOf(best, others)
  if (!parent || made.has(parent) || !isNested(best)) return { collection: best, other }
  const flat = others.find((each) => !isNested(each))
  if (flat) return { collection: flat, other: undefined }
  const where = shownPath(best.path, best.slots)
  const { plural } = RESOURCES[best.resource]
  decisions.remark(['resources'], `${plural} are at ${where}, below ${RESOURCES[parent].plural}, which the draft lacks`)
  return undefined
}

function decideDoubts(best: Collection, found: readonly Collection[], decisions: Decisions): void {
  const { plural } = RESOURCES[best.resource]
  const close = found.filter(
    (each) =>
      each !== best &&
      best.score - each.score < CLOSE &&
      !isVersionOf(each.path, best.path) &&
      !isBelowOther(each.path, best.path),
  )
  const [path = '', ...others] = [best, ...close.slice(0, MOST_CHOICES)].map((each) => shownPath(each.path, each.slots))
  const guess = [...best.slots].find(([, slot]) => slot.type === 'value' && !slot.isSure)
  const doubt = guess
    ? `the document does not list the values of {${guess[0]}}: are ${plural} at ${path}?`
    : others.length > 0
      ? `the document also has ${others.join(', ')}: is ${path} the path of ${plural}?`
      : best.isDoubtful
        ? `are ${plural} at ${path}? The name does not say so for sure`
        : undefined
  if (doubt === undefined) return
  const question = { id: plural, ask: askOf(plural), choices: [path, ...others, 'none'] }
  decisions.decide(['resources', plural], doubt, question)
}

/** `/v1/contacts` and `/v2/contacts` are the same; the higher version has the better score. */
function isVersionOf(path: string, other: string): boolean {
  const plain = (text: string) => text.replace(/\/v\d+(?=\/)/gi, '')
  return plain(path) === plain(other)
}

/** `/customfields/contacts` beside `/contacts`: something else that belongs to contacts. */
function isBelowOther(path: string, best: string): boolean {
  return path.endsWith(best) && path.length > best.length && !/^\/v\d+$/i.test(path.slice(0, -best.length))
}

/** Notes are listed below deals, and read and changed elsewhere. */
function otherOf(best: Collection, others: readonly Collection[]): Collection | undefined {
  return PARENTS[best.resource] ? others.find((each) => each.path !== best.path && !isForeign(each)) : undefined
}

function unknownPath(plural: string, path: string, found: readonly Collection[]): CrmError {
  const known = found.slice(0, 5).map((each) => shownPath(each.path, each.slots))
  return new CrmError('usage', `the document has no path ${JSON.stringify(path)} for ${plural}`, {
    hint:
      known.length > 0
        ? `candidates: ${known.join(', ')}`
        : `give a path of the document, or --resource ${plural}=none`,
  })
}
