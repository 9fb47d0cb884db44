import { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import { SIZE_PARAMETERS } from '../pages/names.ts'
import { type Finding, failed, type Proposal } from './finding.ts'
import { askList, countOf, type ListName } from './listing.ts'
import type { OpenApi } from './openapi.ts'
import type { Probe } from './probe.ts'

const SIZE_NAME = /limit|size|per_?page|count|top|first|max_?results|\btake\b/i

/** What stands in the settings for a parameter that is not sent. */
const NO_PARAMETER = 'none'

export interface PageSize {
  readonly finding: Finding
  /** With the parameter that does it. */
  readonly wire: Wire
  readonly isHonoured: boolean
}

interface Counts {
  readonly one: number | undefined
  readonly two: number | undefined
}

/** Whether the parameter for the size of a page does what it says, and which one does where it does not. */
export async function checkPageSize(
  probe: Probe,
  { noun, wire, refusal }: { readonly noun: ListName; readonly wire: Wire; readonly refusal: CrmError | undefined },
  openapi: OpenApi | undefined,
): Promise<PageSize> {
  const name = wire.limitParam
  if (name === undefined)
    return search(probe, { noun, wire, openapi }, 'no size is sent, by wire.limit_param', undefined)
  if (refusal) return search(probe, { noun, wire, openapi }, `${name} is refused: ${refusal.message}`, refusal)
  const counts = await countBoth(probe, noun, wire)
  const shown = `${name}=1 gives ${counts.one ?? 'no list'}, ${name}=2 gives ${counts.two ?? 'no list'}`
  const found = { parameter: name, asked_1: counts.one ?? null, asked_2: counts.two ?? null }
  if (isObeyed(counts)) {
    return { finding: { check: 'page_size', state: 'ok', seen: shown, found }, wire, isHonoured: true }
  }
  const whole = counts.one === 1 ? 1 : countOf(await askList(probe, noun, wire, undefined))
  if (whole === undefined || whole < 2) {
    const seen = `${shown}: the list is too short to tell`
    return { finding: { check: 'page_size', state: 'unknown', seen, found }, wire, isHonoured: false }
  }
  if (counts.one !== 0) return search(probe, { noun, wire, openapi }, `${shown}: it is ignored`, undefined)
  const message = `cannot list ${noun}: with ${name} the list is empty, and without it has ${whole} records`
  const error = new CrmError('bad_answer', message, {
    hint: `send no size: crm config set wire.limit_param ${NO_PARAMETER} -p PROFILE`,
  })
  return search(probe, { noun, wire, openapi }, `${shown}, and without it ${whole}: it is taken for a filter`, error)
}

interface Search {
  readonly noun: ListName
  readonly wire: Wire
  readonly openapi: OpenApi | undefined
}

/** `error` is what the parameter of the settings leads to, where that is worse than nothing. */
async function search(
  probe: Probe,
  { noun, wire, openapi }: Search,
  seen: string,
  error: CrmError | undefined,
): Promise<PageSize> {
  const name = await findName(probe, { noun, wire, openapi })
  const value = name ?? (error ? NO_PARAMETER : undefined)
  const proposals: Proposal[] = value === undefined ? [] : [{ setting: 'wire.limit_param', value }]
  const corrected = error || name !== undefined ? { ...wire, limitParam: name } : wire
  const more = name === undefined ? 'no other parameter was found' : `${name} is the one that is taken`
  const said = `${seen}; ${more}`
  const found = { parameter: name ?? null }
  const isHonoured = name !== undefined
  if (error) {
    const finding = { ...failed('page_size', error, proposals), seen: said, found }
    return { finding, wire: corrected, isHonoured }
  }
  // Nothing is sent, because somebody said so.
  if (wire.limitParam === undefined && name === undefined) {
    return { finding: { check: 'page_size', state: 'ok', seen: said, found }, wire, isHonoured }
  }
  const hint = name === undefined ? 'lists come in pages of the size that the server chooses' : 'crm doctor --fix'
  return {
    finding: { check: 'page_size', state: 'warn', seen: said, found, hint, proposals },
    wire: corrected,
    isHonoured,
  }
}

/** One that was seen to work; where the list is too short to see it, the first of the document's that is not refused. */
async function findName(probe: Probe, { noun, wire, openapi }: Search): Promise<string | undefined> {
  const told = (openapi?.list ?? []).filter(({ name, in: place }) => place === 'query' && SIZE_NAME.test(name))
  const names = told.map(({ name }) => name)
  let taken: string | undefined
  for (const name of new Set([...names, ...SIZE_PARAMETERS])) {
    if (name === wire.limitParam) continue
    if (!probe.hasTimeToSearch()) return taken
    const tried = { ...wire, limitParam: name }
    const one = countOf(await askList(probe, noun, tried, 1))
    if (one === undefined || one > 1) continue
    const two = countOf(await askList(probe, noun, tried, 2))
    if (isObeyed({ one, two })) return name
    if (two === one && names.includes(name)) taken ??= name
  }
  return taken
}

async function countBoth(probe: Probe, noun: ListName, wire: Wire): Promise<Counts> {
  return { one: countOf(await askList(probe, noun, wire, 1)), two: countOf(await askList(probe, noun, wire, 2)) }
}

function isObeyed({ one, two }: Counts): boolean {
  return one === 1 && two === 2
}
