import type { CrmError } from '../../core/errors.ts'
import { NO_REFERENCES } from '../connectors/references.ts'
import { createExchange } from '../connectors/resource-exchange.ts'
import { badPage } from '../pages/page-errors.ts'
import { type CheckName, type Finding, failed, notAsked } from './finding.ts'
import { clockFinding, latencyFinding, limitsFinding, versionFinding } from './header-checks.ts'
import type { Probe } from './probe.ts'

const LATENCY_REQUESTS = 5

/** The findings about a server that can be reached: whether it accepts the key, and answers as the connector says. */
export async function checkConnected(probe: Probe): Promise<readonly Finding[]> {
  const { connector } = probe.options
  const { name, document } = connector
  const rules = connector.rules('contact')
  const exchange = createExchange(
    { connector, references: NO_REFERENCES, http: probe.http },
    { resource: 'contact', parentId: undefined },
  )
  const texts = { action: 'list contacts', command: 'crm contacts list', findCommand: undefined }
  const call = exchange.call(rules.pageRequest(undefined, 1, {}), texts)
  const first = await probe.ask(call)
  if (!('answer' in first)) return [...refused(first.error), ...headerFindings(probe)]
  for (let nth = 0; nth < LATENCY_REQUESTS && !probe.outage(); nth++) await probe.ask(call)
  const page = rules.readPage(first.answer, {}, NO_REFERENCES)
  const keys = document.idempotency
  return [
    { check: 'key', state: 'ok', seen: 'the server accepts it' },
    latencyFinding(probe.samples),
    typeof page === 'string'
      ? failed('records', badPage(call, page, connector.mismatchHint))
      : { check: 'records', state: 'ok', seen: `contacts are read as the connector ${name} describes` },
    { check: 'paging', state: 'ok', seen: `by ${rules.paging.by}, as the connector ${name} states` },
    {
      check: 'idempotency',
      state: 'ok',
      seen: typeof keys === 'string' ? `${keys}, as the connector ${name} states` : `${keys.header} is sent`,
    },
    ...headerFindings(probe),
  ]
}

/** Without a page of records, nothing else can be checked. */
function refused(error: CrmError): readonly Finding[] {
  const isKey = error.code === 'unauthorized' || error.code === 'forbidden'
  const others: readonly CheckName[] = [...(isKey ? (['records'] as const) : []), 'latency', 'paging', 'idempotency']
  return [failed(isKey ? 'key' : 'records', error), ...others.map((check) => notAsked(check, error.message))]
}

/** Findings from the headers of any answer, including refusals. */
function headerFindings(probe: Probe): readonly Finding[] {
  const { samples } = probe
  return samples.length === 0 ? [] : [clockFinding(samples), limitsFinding(probe), versionFinding(samples)]
}
