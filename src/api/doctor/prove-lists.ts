import { CrmError } from '../../core/errors.ts'
import { PAGING_KINDS, type Wire } from '../../core/wire.ts'
import { listPages } from '../pages/pages.ts'
import type { Http } from '../transport/http.ts'
import { type CheckName, type Finding, failed, type Proposal } from './finding.ts'
import type { CheckedList } from './lists.ts'
import { PERHAPS_TRUNCATED } from './page-sizes.ts'
import type { Probe } from './probe.ts'

/** Longer lists are counted up to these limits. */
const MAX_RECORDS = 5000

const MAX_PAGES = 60

const LIST_CHECKS: readonly CheckName[] = ['records', 'page_size', 'paging', 'largest_page']

/**
 * Tests the findings: reads the list with the current settings and with each proposed change. A truncated list is a failure,
 * and a change that yields fewer records or an error is not proposed.
 */
export async function proveLists(
  probe: Probe,
  noun: CheckedList,
  findings: readonly Finding[],
): Promise<readonly Finding[]> {
  const start = await startOf(probe, noun, findings)
  if (probe.outage() || (start.best.error && start.best.error.code !== 'bad_answer')) return findings
  const proven: Finding[] = []
  let state = start
  for (const finding of findings) {
    const isProposing = LIST_CHECKS.includes(finding.check) && (finding.proposals ?? []).length > 0
    const [held, next] = isProposing ? await proveFinding(probe, noun, finding, state) : ([finding, state] as const)
    proven.push(held)
    state = next
  }
  return proven.map((finding) => {
    if (finding.check === 'paging') return resolvePaging(finding, start.best)
    return finding.check === 'largest_page' ? resolveLargestPage(finding, state.best) : finding
  })
}

/** The list with the current settings; if only their page size is refused, with one that the server accepts. */
async function startOf(probe: Probe, noun: CheckedList, findings: readonly Finding[]): Promise<State> {
  const { wire } = probe.options
  const best = await countList(probe, noun, wire)
  const failureOf = (name: CheckName) => findings.find(({ check, state }) => check === name && state === 'fail')
  const { proposals = [] } = failureOf('largest_page') ?? {}
  const isSizeRefused = best.error && best.error.code !== 'bad_answer' && !failureOf('page_size')
  if (probe.outage() || !isSizeRefused || proposals.length === 0) return { best, wire }
  const smaller = withProposals(wire, proposals)
  return { best: await countList(probe, noun, smaller), wire: smaller }
}

/** Once the list was read to its end, it is known whether its largest page was the whole list. */
function resolveLargestPage(finding: Finding, { count, error, isWhole: isRead }: Counted): Finding {
  const isWhole = Number(finding.found?.came) >= count
  if (error || (isWhole && !isRead) || !finding.seen.includes(PERHAPS_TRUNCATED)) return finding
  const { hint: _hint, proposals, ...rest } = finding
  const seen = finding.seen.replace(PERHAPS_TRUNCATED, isWhole ? 'the whole list' : 'the maximum of a page')
  if (finding.state !== 'warn') return { ...finding, seen }
  return { ...rest, state: 'ok', seen, ...(isWhole || !proposals ? {} : { proposals }) }
}

interface State {
  readonly best: Counted
  readonly wire: Wire
}

async function proveFinding(
  probe: Probe,
  noun: CheckedList,
  finding: Finding,
  state: State,
): Promise<readonly [Finding, State]> {
  const { proposals = [], ...rest } = finding
  const { best } = state
  // What crm recognises is not written as a setting, so that crm adapts when the server changes.
  if (finding.check === 'paging' && best.error === undefined) return [rest, state]
  const wire = withProposals(state.wire, proposals)
  const after = await countList(probe, noun, wire)
  if (!isWorse(after, best)) return [finding, { best: after, wire }]
  const what = proposals.map(({ setting, value }) => `${setting}=${value}`).join(', ')
  const seen = `${rest.seen}; with ${what} the list has ${countText(after)}, without it ${countText(best)}`
  return [{ ...rest, seen }, state]
}

function countText({ count, error }: Counted): string {
  return error === undefined ? `${count} records` : `${count} records and no known end`
}

/** `before` is the list with the current settings. */
function resolvePaging(finding: Finding, before: Counted): Finding {
  if (before.error && finding.state !== 'fail') return failed('paging', before.error, finding.proposals ?? [])
  const isSilent = finding.state === 'ok' && finding.found?.next_at === null && before.countedBy !== ''
  if (before.error || (finding.state !== 'fail' && !isSilent)) return finding
  const start = finding.found?.next_at
    ? finding.seen.replace(/^cannot list \w+: /, '')
    : 'no answer states the next page'
  const how = before.countedBy === '' ? 'further requests read' : `counted by ${before.countedBy} to`
  const seen = `${start}; ${how} ${before.count} records${before.isWhole ? '' : ' and more'}`
  return { check: 'paging', state: 'ok', seen, found: { next_at: null, sent_as: null } }
}

const MEMBERS: Readonly<Partial<Record<Proposal['setting'], (value: string) => Partial<Wire>>>> = {
  'wire.page_size': (value) => ({ pageSize: Number(value) }),
  'wire.limit_param': (value) => ({ limitParam: value === 'none' ? undefined : value }),
  'wire.paging': (value) => ({ paging: PAGING_KINDS.find((kind) => kind === value) }),
  'wire.cursor_param': (value) => ({ cursorParam: value || undefined }),
  'wire.items_path': (value) => ({ itemsPath: value || undefined }),
  'wire.next_path': (value) => ({ nextPath: value || undefined }),
}

function withProposals(wire: Wire, proposals: readonly Proposal[]): Wire {
  return Object.assign({}, wire, ...proposals.map(({ setting, value }) => MEMBERS[setting]?.(value) ?? {}))
}

/** The result of `contacts list` with some settings. */
interface Counted {
  readonly count: number
  /** Undefined if the list was read to its end or up to the limits. */
  readonly error: CrmError | undefined
  /** The list was read to its end. */
  readonly isWhole: boolean
  /** The parameters that count pages or records, if the list was read by them; empty otherwise. */
  readonly countedBy: string
}

async function countList(probe: Probe, noun: CheckedList, wire: Wire): Promise<Counted> {
  const call = { path: `/v1/${noun}`, action: `list ${noun}`, command: `crm ${noun} list`, findCommand: undefined }
  let count = 0
  let pages = 0
  let countedBy = ''
  try {
    for await (const { items, nextCursor } of listPages(
      probingHttp(probe),
      call,
      { limit: MAX_RECORDS, cursor: undefined, filters: {} },
      wire,
    )) {
      count += items.length
      countedBy = countingNames(nextCursor, wire) ?? countedBy
      // `contacts list` does not stop at empty pages either.
      if (items.length > 0) pages += 1
      if (pages === MAX_PAGES || !probe.hasTimeToSearch()) return { count, error: undefined, isWhole: false, countedBy }
    }
    return { count, error: undefined, isWhole: count < MAX_RECORDS, countedBy }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    return { count, error, isWhole: false, countedBy }
  }
}

/** The parameters besides the page size in the address of a next page; undefined if there is none. */
function countingNames(nextCursor: string | undefined, { limitParam }: Wire): string | undefined {
  if (nextCursor?.startsWith('?/') !== true) return undefined
  const names = [...new URL(nextCursor.slice(1), 'http://list.invalid').searchParams.keys()]
  return names.filter((name) => name !== limitParam).join(' and ')
}

/** Fewer records, or an error in place of success. */
function isWorse(after: Counted, before: Counted): boolean {
  return after.count < before.count || (after.error !== undefined && before.error === undefined)
}

/** Sends each request once, and none after the server has stopped answering. */
function probingHttp(probe: Probe): Http {
  return {
    ...probe.http,
    request: async ({ path, query, address, action, command }) => {
      const settled = await probe.ask({
        ...{ path, action, command },
        ...(query && { query }),
        ...(address !== undefined && { address }),
      })
      if ('error' in settled) throw settled.error
      return settled.answer
    },
  }
}
