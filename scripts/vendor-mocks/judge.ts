import { createApi } from '../../src/api/client.ts'
import { openConnector } from '../../src/api/connectors/open-connector.ts'
import { serverTerms } from '../../src/api/server-terms.ts'
import type { ConnectorDocument } from '../../src/connector/document.ts'
import { shippedConnector } from '../../src/connector/shipped.ts'
import { CrmError } from '../../src/core/errors.ts'
import { hurriedTiming } from '../../test/harness/hurried-timing.ts'
import { type MockServer, startMocks } from './mock-server.ts'
import { type MockOperation, OPERATIONS, type Visit } from './operations.ts'
import type { Vendor } from './vendors.ts'

export interface Result {
  readonly operation: string
  readonly isOfContract: boolean
  /** `mock`: it fails by the mock's own example. */
  readonly state: 'ok' | 'mock' | 'not offered' | 'miss'
  /** The cause, or a remark. */
  readonly note: string
}

/** Runs every operation through the shipped connector against mocks of the vendor's documents. */
export async function judgeVendor(folder: string, vendor: Vendor): Promise<readonly Result[]> {
  const mocks = await startMocks(folder, vendor)
  try {
    return await runOperations(mocks, vendor)
  } finally {
    await mocks.close()
  }
}

async function runOperations(mocks: MockServer, vendor: Vendor): Promise<readonly Result[]> {
  const document = await shippedConnector(vendor.connector)
  const baseUrl = new URL(mocks.url + document.base)
  const timing = hurriedTiming()
  const connector = await openConnector({ name: vendor.connector, variables: vendor.variables }, { baseUrl })
  const options = {
    baseUrl,
    key: 'key_of_the_mock',
    terms: serverTerms(connector.document),
    connector,
    timeoutMs: 20_000,
    maxWaitMs: 0,
    userAgent: 'crm',
    signal: new AbortController().signal,
    now: timing.now,
    debug: undefined,
    onWait: undefined,
  }
  const api = createApi(options, timing)
  const visit: Visit = { api, exchanges: mocks.exchanges }
  const results: Result[] = []
  for (const operation of OPERATIONS) {
    const { name, isOfContract } = operation
    const attempt = () => judged(vendor, operation, { work: () => operation.run(visit), exchanges: mocks.exchanges })
    results.push({ operation: name, isOfContract, ...(absence(document, vendor, operation) ?? (await attempt())) })
  }
  await api.close()
  return results
}

type Judged = Pick<Result, 'state' | 'note'>

/** Undefined where both the vendor and the connector have the operation. */
function absence(document: ConnectorDocument, { lacks }: Vendor, { name, resource, operation }: MockOperation) {
  const isMapped = document.resources[resource]?.[operation] !== undefined
  if (lacks.includes(name)) {
    const note = isMapped ? 'mapped, but not in the document' : ''
    return { state: 'not offered', note } satisfies Judged
  }
  return isMapped ? undefined : ({ state: 'miss', note: 'the connector does not have it' } satisfies Judged)
}

async function judged(
  { mockCauses }: Vendor,
  { name }: MockOperation,
  { work, exchanges }: { work: () => Promise<string | undefined>; exchanges: MockServer['exchanges'] },
): Promise<Judged> {
  exchanges('forget')
  const done = await work().catch((error: unknown) => {
    if (error instanceof CrmError) return error
    throw error
  })
  const broken = exchanges().find(({ violations }) => violations.length > 0)
  if (broken) return { state: 'miss', note: `${broken.line}: ${broken.violations.join('; ')}` }
  if (!(done instanceof CrmError)) return { state: 'ok', note: done ?? '' }
  const own = mockCauses.find(({ operation, message }) => operation === name && message.test(done.message))
  return own ? { state: 'mock', note: own.cause } : { state: 'miss', note: done.message }
}
