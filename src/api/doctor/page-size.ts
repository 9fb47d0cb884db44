import { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import { SIZE_PARAMETERS } from '../pages/names.ts'
import { type Finding, failed, type Proposal } from './finding.ts'
import { askList, countOf, type ListName } from './listing.ts'
import type { OpenApi } from './openapi.ts'
import type { Probe } from './probe.ts'

const SIZE_NAME = /limit|size|per_?page|count|top|first|max_?results|\btake\b/i

/** The setting for a server without the parameter. */
const NO_PARAMETER = 'none'

export interface PageSize {
  readonly finding: Finding
  /** The settings, with the parameter that works. */
  readonly wire: Wire
  readonly isHonoured: boolean
}

interface Counts {
  readonly one: number | undefined
  readonly two: number | undefined
}

/** Whether the page size parameter works; if it does not, searches for one that does. */
export async function checkPageSize(
  probe: Probe,
  { noun, wire, refusal }: { readonly noun: ListName; readonly wire: Wire; readonly refusal: CrmError | undefined },
  openapi: OpenApi | undefined,
): Promise<PageSize> {
  const name = wire.limitParam
  if (name === undefined)
    return search(probe, { noun, wire, openapi }, 'no page size is sent (wire.limit_param)', undefined)
  if (refusal) return search(probe, { noun, wire, openapi }, `${name} is refused: ${refusal.message}`, refusal)
  const counts = await countBoth(probe, noun, wire)
  const shown = `${name}=1 gives ${counts.one ?? 'no list'}, ${name}=2 gives ${counts.two ?? 'no list'}`
  const found = { parameter: name, asked_1: counts.one ?? null, asked_2: counts.two ?? null }
  if (isObeyed(counts)) {
    return { finding: { check: 'page_size', state: 'ok', seen: shown, found }, wire, isHonoured: true }
  }
  const withoutSize = counts.one === 1 ? 1 : countOf(await askList(probe, noun, wire, undefined))
  if (withoutSize === undefined || withoutSize < 2) {
    const seen = `${shown}: the list is too short to tell`
    return { finding: { check: 'page_size', state: 'unknown', seen, found }, wire, isHonoured: false }
  }
  if (counts.one !== 0) return search(probe, { noun, wire, openapi }, `${shown}: it is ignored`, undefined)
  const message = `cannot list ${noun}: with ${name} the list is empty, and without it has ${withoutSize} records`
  const error = new CrmError('bad_answer', message, {
    hint: `send no size: crm config set wire.limit_param ${NO_PARAMETER} -p PROFILE`,
  })
  return search(
    probe,
    { noun, wire, openapi },
    `${shown}, and without it ${withoutSize}: the server treats it as a filter`,
    error,
  )
}

interface Search {
  readonly noun: ListName
  readonly wire: Wire
  readonly openapi: OpenApi | undefined
}

/** `error`: the failure that the parameter in the settings causes, if it causes one. */
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
  const more = name === undefined ? 'no other parameter was found' : `${name} works`
  const text = `${seen}; ${more}`
  const found = { parameter: name ?? null }
  const isHonoured = name !== undefined
  if (error) {
    const finding = { ...failed('page_size', error, proposals), seen: text, found }
    return { finding, wire: corrected, isHonoured }
  }
  // The setting disables the parameter.
  if (wire.limitParam === undefined && name === undefined) {
    return { finding: { check: 'page_size', state: 'ok', seen: text, found }, wire, isHonoured }
  }
  const hint = name === undefined ? 'the server chooses the size of its pages' : 'crm doctor --fix'
  return {
    finding: { check: 'page_size', state: 'warn', seen: text, found, hint, proposals },
    wire: corrected,
    isHonoured,
  }
}

/** A parameter that was seen to work; if the list is too short to show it, the first documented one that is not refused. */
async function findName(probe: Probe, { noun, wire, openapi }: Search): Promise<string | undefined> {
  const documented = (openapi?.list ?? []).filter(({ name, in: place }) => place === 'query' && SIZE_NAME.test(name))
  const names = documented.map(({ name }) => name)
  let accepted: string | undefined
  for (const name of new Set([...names, ...SIZE_PARAMETERS])) {
    if (name === wire.limitParam) continue
    if (!probe.hasTimeToSearch()) return accepted
    const tried = { ...wire, limitParam: name }
    const one = countOf(await askList(probe, noun, tried, 1))
    if (one === undefined || one > 1) continue
    const two = countOf(await askList(probe, noun, tried, 2))
    if (isObeyed({ one, two })) return name
    if (two === one && names.includes(name)) accepted ??= name
  }
  return accepted
}

async function countBoth(probe: Probe, noun: ListName, wire: Wire): Promise<Counts> {
  return { one: countOf(await askList(probe, noun, wire, 1)), two: countOf(await askList(probe, noun, wire, 2)) }
}

function isObeyed({ one, two }: Counts): boolean {
  return one === 1 && two === 2
}
