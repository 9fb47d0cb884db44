import type { Wire } from '../../core/wire.ts'
import { type Counted, countList, isWorse } from './count-list.ts'
import { type CheckName, type Finding, failed, type Proposal } from './finding.ts'
import { PERHAPS_CUT } from './largest-page.ts'
import type { ListName } from './listing.ts'
import type { Probe } from './probe.ts'

const OF_LISTS: readonly CheckName[] = ['records', 'page_size', 'paging', 'largest_page']

/**
 * Tests the findings by reading the list with the current settings, and with each proposed change. A list that is cut fails,
 * and a change that gives fewer records, or an error, is not proposed.
 */
export async function proveLists(
  probe: Probe,
  noun: ListName,
  findings: readonly Finding[],
): Promise<readonly Finding[]> {
  const start = await startOf(probe, noun, findings)
  if (probe.silence() || (start.best.error && start.best.error.code !== 'bad_answer')) return findings
  const proven: Finding[] = []
  let state = start
  for (const finding of findings) {
    const isProposing = OF_LISTS.includes(finding.check) && (finding.proposals ?? []).length > 0
    const [held, next] = isProposing ? await proveFinding(probe, noun, finding, state) : ([finding, state] as const)
    proven.push(held)
    state = next
  }
  return proven.map((finding) => {
    if (finding.check === 'paging') return judged(finding, start.best)
    return finding.check === 'largest_page' ? toldApart(finding, start.best) : finding
  })
}

/** The list with the current settings; when only their page size is refused, with one that the server accepts. */
async function startOf(probe: Probe, noun: ListName, findings: readonly Finding[]): Promise<State> {
  const { wire } = probe.options
  const best = await countList(probe, noun, wire)
  const failureOf = (name: CheckName) => findings.find(({ check, state }) => check === name && state === 'fail')
  const { proposals = [] } = failureOf('largest_page') ?? {}
  const isSizeRefused = best.error && best.error.code !== 'bad_answer' && !failureOf('page_size')
  if (probe.silence() || !isSizeRefused || proposals.length === 0) return { best, wire }
  const smaller = withProposals(wire, proposals)
  return { best: await countList(probe, noun, smaller), wire: smaller }
}

/** A list that was read to its end shows whether its largest page was the whole list. */
function toldApart(finding: Finding, { count, error }: Counted): Finding {
  if (error || !finding.seen.includes(PERHAPS_CUT)) return finding
  const { hint: _hint, proposals, ...rest } = finding
  const isWhole = Number(finding.found?.came) >= count
  const seen = finding.seen.replace(PERHAPS_CUT, isWhole ? 'the whole list' : 'all that a page holds')
  if (finding.state === 'fail') return { ...finding, seen }
  return { ...rest, state: 'ok', seen, ...(isWhole || !proposals ? {} : { proposals }) }
}

interface State {
  readonly best: Counted
  readonly wire: Wire
}

async function proveFinding(
  probe: Probe,
  noun: ListName,
  finding: Finding,
  state: State,
): Promise<readonly [Finding, State]> {
  const { proposals = [], ...rest } = finding
  const { best } = state
  // Settings that crm recognises by itself are not written, so that it follows when the server changes.
  if (finding.check === 'paging' && best.error === undefined) return [rest, state]
  const wire = withProposals(state.wire, proposals)
  const after = await countList(probe, noun, wire)
  if (!isWorse(after, best)) return [finding, { best: after, wire }]
  const what = proposals.map(({ setting, value }) => `${setting}=${value}`).join(', ')
  const seen = `${rest.seen}; with ${what} the list has ${countText(after)}, and now ${countText(best)}`
  return [{ ...rest, seen }, state]
}

function countText({ count, error }: Counted): string {
  return error === undefined ? `${count} records` : `${count} records and no known end`
}

/** `before` is the list with the current settings. */
function judged(finding: Finding, before: Counted): Finding {
  if (before.error && finding.state !== 'fail') return failed('paging', before.error, finding.proposals ?? [])
  if (before.error || finding.state !== 'fail') return finding
  const seen = `${finding.seen.replace(/^cannot list \w+: /, '')}; further requests lead on: ${before.count} records came`
  return { check: 'paging', state: 'ok', seen, found: { next_at: null, sent_as: null } }
}

const MEMBERS: Readonly<Partial<Record<Proposal['setting'], (value: string) => Partial<Wire>>>> = {
  'wire.page_size': (value) => ({ pageSize: Number(value) }),
  'wire.limit_param': (value) => ({ limitParam: value === 'none' ? undefined : value }),
  'wire.cursor_param': (value) => ({ cursorParam: value || undefined }),
  'wire.items_path': (value) => ({ itemsPath: value || undefined }),
  'wire.next_path': (value) => ({ nextPath: value || undefined }),
}

function withProposals(wire: Wire, proposals: readonly Proposal[]): Wire {
  return Object.assign({}, wire, ...proposals.map(({ setting, value }) => MEMBERS[setting]?.(value) ?? {}))
}
