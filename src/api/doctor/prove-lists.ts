import type { Wire } from '../../core/wire.ts'
import { type Counted, countList, isWorse } from './count-list.ts'
import { type CheckName, type Finding, failed, type Proposal } from './finding.ts'
import type { Noun } from './listing.ts'
import type { Probe } from './probe.ts'

const OF_LISTS: readonly CheckName[] = ['records', 'page_size', 'paging', 'largest_page']

/**
 * The findings, held against what a list is with the settings as they are, and with each change that they propose: a list
 * that is cut is a failure, and a change that would leave it with fewer records, or with an error, is not proposed.
 */
export async function proveLists(probe: Probe, noun: Noun, findings: readonly Finding[]): Promise<readonly Finding[]> {
  const before = await countList(probe, noun, probe.options.wire)
  if (probe.silence() || (before.error && before.error.code !== 'bad_answer')) return findings
  const proven: Finding[] = []
  let state: State = { best: before, wire: probe.options.wire }
  for (const finding of findings) {
    const isProposing = OF_LISTS.includes(finding.check) && (finding.proposals ?? []).length > 0
    const [held, next] = isProposing ? await proveFinding(probe, noun, finding, state) : ([finding, state] as const)
    proven.push(held)
    state = next
  }
  return proven.map((finding) => (finding.check === 'paging' ? judged(finding, before) : finding))
}

interface State {
  readonly best: Counted
  readonly wire: Wire
}

async function proveFinding(
  probe: Probe,
  noun: Noun,
  finding: Finding,
  state: State,
): Promise<readonly [Finding, State]> {
  const { proposals = [], ...rest } = finding
  const { best } = state
  // What is recognised is not written, so that a server which changes is still recognised.
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

/** `before` is the list with the settings as they are. */
function judged(finding: Finding, before: Counted): Finding {
  if (before.error && finding.state !== 'fail') return failed('paging', before.error, finding.proposals ?? [])
  if (before.error || finding.state !== 'fail') return finding
  const seen = `${finding.seen}; further requests lead on: ${before.count} records came`
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
