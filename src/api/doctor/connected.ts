import type { Connector } from '../connectors/connector.ts'
import { NO_REFERENCES } from '../connectors/references.ts'
import { createExchange } from '../connectors/resource-exchange.ts'
import type { CheckName, Finding } from './finding.ts'
import { failed, notAsked } from './finding.ts'
import { clockFinding, latencyFinding, limitsFinding, versionFinding } from './header-checks.ts'
import type { Probe } from './probe.ts'

const LATENCY_REQUESTS = 5

/** What the connector states, so that nothing has to be found out. */
const STATED: readonly CheckName[] = ['page_size', 'largest_page', 'openapi']

/** The findings about a server that a connector describes: `crm connectors check` compares the two. */
export async function checkConnected(probe: Probe, connector: Connector): Promise<readonly Finding[]> {
  const { name, document } = connector
  const stated = STATED.map((check) => notAsked(check, `the connector ${name} states how the server speaks`))
  const rules = connector.rules('contact')
  const exchange = createExchange(
    { connector, references: NO_REFERENCES, http: probe.http },
    { resource: 'contact', parentId: undefined },
  )
  const texts = { action: 'list contacts', command: 'crm contacts list', findCommand: undefined }
  const ask = () => probe.ask(exchange.call(rules.pageRequest(undefined, 1, {}), texts))
  const first = await ask()
  const headers = () =>
    probe.samples.length === 0 ? [] : [clockFinding(probe.samples), limitsFinding(probe), versionFinding(probe.samples)]
  if (!('answer' in first)) {
    const { error } = first
    const isKey = error.code === 'unauthorized' || error.code === 'forbidden'
    return [failed(isKey ? 'key' : 'records', error), ...stated, ...headers()]
  }
  for (let nth = 0; nth < LATENCY_REQUESTS && !probe.outage(); nth++) await ask()
  const page = rules.readPage(first.answer, {}, NO_REFERENCES)
  const { by } = rules.paging
  const keys = document.idempotency
  return [
    { check: 'key', state: 'ok', seen: 'the server accepts it' },
    latencyFinding(probe.samples),
    typeof page === 'string'
      ? { check: 'records', state: 'warn', seen: page, hint: 'crm connectors check' }
      : { check: 'records', state: 'ok', seen: `contacts are read as the connector ${name} describes` },
    { check: 'paging', state: 'ok', seen: `by ${by}, as the connector ${name} states` },
    {
      check: 'idempotency',
      state: 'ok',
      seen: typeof keys === 'string' ? `${keys}, as the connector ${name} states` : `${keys.header} is kept`,
    },
    ...stated,
    ...headers(),
  ]
}
