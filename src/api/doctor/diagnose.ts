import type { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import { withoutVersion, withScheme } from './address-slips.ts'
import { CHECKS, type CheckName, type Finding, failed, notAsked } from './finding.ts'
import { checkGraphql } from './graphql.ts'
import { clockFinding, latencyFinding, limitsFinding, versionFinding } from './header-checks.ts'
import { idempotencyFinding } from './idempotency.ts'
import { checkLargest, type LargestList } from './largest-page.ts'
import { askList, isPage, type Listing } from './listing.ts'
import { findOpenApi, type OpenApi, openApiFinding } from './openapi.ts'
import { checkPageSize } from './page-size.ts'
import { checkPaging } from './paging.ts'
import { openProbe, type Probe } from './probe.ts'
import type { ProbeTarget } from './probe-target.ts'
import { proveLists } from './prove-lists.ts'
import { checkReach } from './reach.ts'
import { checkRecords, isRejection } from './records.ts'

/** Beside the first, which opens the connection. */
const LATENCY_REQUESTS = 5
/** After which no more of them are begun: a slow server shows early. */
const LATENCY_MS = 5000

/**
 * What a server speaks, each with what was seen, in the order of CHECKS. It is asked with GET, and GraphQL for its schema;
 * nothing is written, there or here. CrmError `interrupted` when the signal aborts.
 */
export async function diagnose(target: ProbeTarget): Promise<readonly Finding[]> {
  const reach = await checkReach(target)
  if (target.key === undefined) return complete(reach.findings, 'there is no key')
  if (!reach.isOpen) return complete(reach.findings, 'the server cannot be reached')
  const probe = openProbe(target, target.key)
  try {
    return complete([...reach.findings, ...(await checkApi(probe))], 'the server did not answer before')
  } finally {
    await probe.http.close()
  }
}

function complete(findings: readonly Finding[], why: string): readonly Finding[] {
  return CHECKS.map((check) => findings.find((finding) => finding.check === check) ?? notAsked(check, why))
}

async function checkApi(probe: Probe): Promise<readonly Finding[]> {
  const { wire } = probe.options
  const first = await askList(probe, 'contacts', wire, 1)
  const silence = probe.silence()
  if (silence) return [failed('records', withScheme(silence, probe.options.baseUrl)), ...fromHeaders(probe)]
  const refusal = keyRefusal(first)
  if (refusal) return [failed('key', refusal), ...refused(refusal), ...fromHeaders(probe)]
  const begun = performance.now()
  for (let nth = 0; nth < LATENCY_REQUESTS && performance.now() - begun < LATENCY_MS; nth++) {
    await askList(probe, 'contacts', wire, 1)
  }
  const latency = latencyFinding(probe.samples)
  const openapi = await findOpenApi(probe)
  const document = await step(probe, 'openapi', async () => openApiFinding(openapi, probe))
  const asked = await checkLists(probe, first, openapi)
  const graphql = await step(probe, 'graphql', () => checkGraphql(probe, wire, openapi))
  // The last, because a server may choke on it.
  const largest = await checkLargest(probe, asked.list, openapi)
  const told = [document, idempotencyFinding(openapi, { wire, samples: probe.samples }), ...fromHeaders(probe)]
  const findings = [keyFinding(first, asked), latency, ...asked.findings, graphql, largest, ...told]
  return asked.list ? proveLists(probe, asked.list.noun, findings) : findings
}

/** The check in which a server stops answering fails, and those behind it are not asked. */
async function step(probe: Probe, check: CheckName, work: () => Promise<Finding>): Promise<Finding> {
  const before = probe.silence()
  if (before) return notAsked(check, before.message)
  return unlessSilent(probe, await work())
}

function unlessSilent(probe: Probe, finding: Finding): Finding {
  const silence = probe.silence()
  return silence ? failed(finding.check, silence) : finding
}

function keyRefusal(first: Listing): CrmError | undefined {
  if (isPage(first)) return undefined
  const { code } = first.error
  return code === 'unauthorized' || code === 'forbidden' ? first.error : undefined
}

/** Whether a server asks for a key at all is not tried: a request without one is an attack in its log. */
function keyFinding(first: Listing, { list }: Asked): Finding {
  if (first.json !== undefined || list) return { check: 'key', state: 'ok', seen: 'the server answers to it' }
  return { check: 'key', state: 'unknown', seen: 'no answer of the server tells whether it takes it' }
}

interface Asked {
  readonly findings: readonly Finding[]
  /** The list that has most to show, with all that was found out about it; undefined where there is none. */
  readonly list: LargestList | undefined
}

async function checkLists(probe: Probe, first: Listing, openapi: OpenApi | undefined): Promise<Asked> {
  if (!isPage(first) && first.json === undefined && !isRejection(first.error)) {
    return withoutList(failed('records', withoutVersion(first.error, probe.options.baseUrl)))
  }
  const records = await checkRecords(probe, probe.options.wire, first)
  const { noun, refusal } = records
  const silence = probe.silence()
  if (silence) return withoutList(failed('records', silence))
  if (noun === undefined) return withoutList(records.finding)
  const size = await checkPageSize(probe, { noun, wire: records.wire, refusal }, openapi)
  const { wire, isHonoured } = size
  const list = { noun, wire, size: isHonoured ? (1 as const) : undefined }
  const sizeFinding = unlessSilent(probe, size.finding)
  const paging = await step(probe, 'paging', () => checkPaging(probe, list, openapi))
  const findings = [records.finding, sizeFinding, paging]
  const isWayOnKnown = paging.state === 'ok' || (paging.proposals ?? []).length > 0
  return { findings, list: { noun, wire: withProposals(wire, paging), isHonoured, isWayOnKnown } }
}

/** How the list goes on, as it was found. */
function withProposals(wire: Wire, { proposals = [] }: Finding): Wire {
  const proposed = (name: string) => proposals.find(({ setting }) => setting === name)?.value
  return {
    ...wire,
    nextPath: proposed('wire.next_path') ?? wire.nextPath,
    cursorParam: proposed('wire.cursor_param') ?? wire.cursorParam,
  }
}

const OF_LISTS: readonly CheckName[] = ['page_size', 'paging', 'largest_page']

function withoutList(finding: Finding): Asked {
  const rest = OF_LISTS.map((check) => notAsked(check, 'there is no list to look at'))
  return { findings: [finding, ...rest], list: undefined }
}

/** With a key that is refused nothing else can be asked. */
function refused({ message }: CrmError): readonly Finding[] {
  const others: readonly CheckName[] = ['latency', 'records', ...OF_LISTS, 'idempotency', 'graphql', 'openapi']
  return others.map((check) => notAsked(check, message))
}

/** What any answer tells, also a refusal. */
function fromHeaders(probe: Probe): readonly Finding[] {
  const { samples } = probe
  if (samples.length === 0) return []
  return [clockFinding(samples), limitsFinding(probe), versionFinding(samples)]
}
