import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { settingCommand, type Wire } from '../../core/wire.ts'
import { checkConnected } from './connected.ts'
import { CHECKS, type CheckName, type Finding, failed, namingAddress, notAsked } from './finding.ts'
import { clockFinding, latencyFinding, limitsFinding, versionFinding } from './header-checks.ts'
import { idempotencyFinding } from './idempotency.ts'
import { askList, checkRecords, isPage, isRejection, type ListAnswer } from './lists.ts'
import { findOpenApi, type OpenApi, openApiFinding } from './openapi.ts'
import { checkLargest, checkPageSize, type LargestList } from './page-sizes.ts'
import { checkPaging } from './paging.ts'
import { openProbe, type Probe, type ProbeTarget } from './probe.ts'
import { proveLists } from './prove-lists.ts'
import { checkReach } from './reach.ts'

/** In addition to the first one, which opens the connection. */
const LATENCY_REQUESTS = 5
/** No request is begun after this time: a few suffice to show that a server is slow. */
const LATENCY_MS = 5000

/**
 * The findings about a server, in the order of CHECKS. Sends GET requests; writes nothing. CrmError `interrupted` if the signal aborts.
 */
export async function diagnose(target: ProbeTarget): Promise<readonly Finding[]> {
  const reach = await checkReach(target)
  const { wire } = target
  if (target.key === undefined) return complete(reach.findings, 'no key', wire)
  if (!reach.isOpen) return complete(reach.findings, 'the server cannot be reached', wire)
  const probe = openProbe(target, target.key)
  try {
    const connector = target.connector
    const checks = connector ? checkConnected(probe, connector) : checkApi(probe)
    return complete([...reach.findings, ...(await checks)], 'the server stopped answering', wire)
  } finally {
    await probe.http.close()
  }
}

function complete(findings: readonly Finding[], why: string, wire: Wire): readonly Finding[] {
  return CHECKS.map((check) => findings.find((finding) => finding.check === check) ?? notAsked(check, why)).map(
    (finding) => namingAddress(finding, wire),
  )
}

async function checkApi(probe: Probe): Promise<readonly Finding[]> {
  const { wire } = probe.options
  const first = await askList(probe, 'contacts', wire, 1)
  const outage = probe.outage()
  if (outage) return [failed('records', withScheme(outage, probe.options.baseUrl)), ...headerFindings(probe)]
  const refusal = keyRefusal(first)
  if (refusal) return [failed('key', refusal), ...refused(refusal), ...headerFindings(probe)]
  const begun = performance.now()
  for (let nth = 0; nth < LATENCY_REQUESTS && performance.now() - begun < LATENCY_MS; nth++) {
    await askList(probe, 'contacts', wire, 1)
  }
  const latency = latencyFinding(probe.samples)
  const openapi = await findOpenApi(probe)
  const document = await step(probe, 'openapi', async () => openApiFinding(openapi, probe))
  const asked = await checkLists(probe, first, openapi)
  // Last, because a large page may overload the server.
  const largest = await checkLargest(probe, asked.list, openapi)
  const rest = [document, idempotencyFinding(openapi, { wire, samples: probe.samples }), ...headerFindings(probe)]
  const findings = [keyFinding(first, asked), latency, ...asked.findings, largest, ...rest]
  return asked.list ? proveLists(probe, asked.list.noun, findings) : findings
}

/** The check during which the server stops answering fails; later checks are not run. */
async function step(probe: Probe, check: CheckName, work: () => Promise<Finding>): Promise<Finding> {
  const before = probe.outage()
  if (before) return notAsked(check, before.message)
  return unlessDown(probe, await work())
}

function unlessDown(probe: Probe, finding: Finding): Finding {
  const outage = probe.outage()
  return outage ? failed(finding.check, outage) : finding
}

function keyRefusal(first: ListAnswer): CrmError | undefined {
  if (isPage(first)) return undefined
  const { code } = first.error
  return code === 'unauthorized' || code === 'forbidden' ? first.error : undefined
}

/** Does not test whether the server requires a key: a request without one looks like an attack in its log. */
function keyFinding(first: ListAnswer, { list }: Asked): Finding {
  if (first.json !== undefined || list) return { check: 'key', state: 'ok', seen: 'the server accepts it' }
  return { check: 'key', state: 'unknown', seen: 'no answer shows whether the server accepts it' }
}

interface Asked {
  readonly findings: readonly Finding[]
  /** The list with the most records, with the settings found for it; undefined without a readable list. */
  readonly list: LargestList | undefined
}

async function checkLists(probe: Probe, first: ListAnswer, openapi: OpenApi | undefined): Promise<Asked> {
  if (!isPage(first) && first.json === undefined && !isRejection(first.error)) {
    return withoutList(failed('records', withoutVersion(first.error, probe.options)))
  }
  const records = await checkRecords(probe, probe.options.wire, first)
  const { noun, refusal } = records
  const outage = probe.outage()
  if (outage) return withoutList(failed('records', outage))
  if (noun === undefined) return withoutList(records.finding)
  const size = await checkPageSize(probe, { noun, wire: records.wire, refusal }, openapi)
  const { wire, isHonoured } = size
  const list = { noun, wire, size: isHonoured ? (1 as const) : undefined }
  const sizeFinding = unlessDown(probe, size.finding)
  const paging = await step(probe, 'paging', () => checkPaging(probe, list, openapi))
  const findings = [records.finding, sizeFinding, paging]
  const isPagingKnown =
    paging.state === 'ok' || paging.proposals?.some(({ setting }) => setting === 'wire.next_path') === true
  return { findings, list: { noun, wire: withProposals(wire, paging), isHonoured, isPagingKnown } }
}

/** The settings with those proposed for paging. */
function withProposals(wire: Wire, { proposals = [] }: Finding): Wire {
  const proposed = (name: string) => proposals.find(({ setting }) => setting === name)?.value
  return {
    ...wire,
    nextPath: proposed('wire.next_path') ?? wire.nextPath,
    cursorParam: proposed('wire.cursor_param') ?? wire.cursorParam,
  }
}

const LIST_CHECKS: readonly CheckName[] = ['page_size', 'paging', 'largest_page']

function withoutList(finding: Finding): Asked {
  const rest = LIST_CHECKS.map((check) => notAsked(check, 'no list to check'))
  return { findings: [finding, ...rest], list: undefined }
}

/** The server refuses the key, so nothing else can be checked. */
function refused({ message }: CrmError): readonly Finding[] {
  const others: readonly CheckName[] = ['latency', 'records', ...LIST_CHECKS, 'idempotency', 'openapi']
  return others.map((check) => notAsked(check, message))
}

/** Findings from the headers of any answer, including refusals. */
function headerFindings(probe: Probe): readonly Finding[] {
  const { samples } = probe
  if (samples.length === 0) return []
  return [clockFinding(samples), limitsFinding(probe), versionFinding(samples, 'v1')]
}

/** Adds a hint: a server that drops plain http connections often expects TLS. */
function withScheme(error: CrmError, baseUrl: URL): CrmError {
  if (error.code !== 'unreachable' || baseUrl.protocol !== 'http:') return error
  return withHint(error, `is it https://${baseUrl.host}?`)
}

/** Adds a hint for a base URL that includes the version of the API. */
function withoutVersion(error: CrmError, { baseUrl, wire }: Pick<ProbeTarget, 'baseUrl' | 'wire'>): CrmError {
  const without = baseUrl.href.replace(/\/v1\/?$/, '')
  if (error.code !== 'not_found' || without === baseUrl.href) return error
  return withHint(error, `crm adds /v1 itself: ${settingCommand(`base_url ${shellWord(without)}`, wire)}`)
}

/** Replaces any other hint, and the suggestion to repeat the command. */
function withHint({ code, message, details: { repeat: _, ...details } }: CrmError, hint: string): CrmError {
  return new CrmError(code, message, { ...details, hint })
}
