import { expect, onTestFinished } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import { createApi } from '../../src/api/client.ts'
import { createConnector } from '../../src/api/connectors/connector.ts'
import { connectorDocument, withPageSize } from '../../src/api/connectors/open-connector.ts'
import type { ListQuery, Page } from '../../src/api/operations.ts'
import type { ApiOptions } from '../../src/api/options.ts'
import { type ServerTerms, serverTerms } from '../../src/api/server-terms.ts'
import type { HostTiming } from '../../src/api/transport/timing.ts'
import { CrmError } from '../../src/core/errors.ts'

export const NO_KEY = { idempotencyKey: undefined }
export const ALL: ListQuery = { limit: undefined, cursor: undefined, filters: {} }

/** What a connector says of its server, with the largest pages of its lists. */
type TermsAndSize = ServerTerms & { readonly pageSize?: number }

export const SERVER_TERMS: TermsAndSize = {
  pageSize: 2,
  ...serverTerms({ idempotency: { header: 'Idempotency-Key' } }),
}

export interface Fixture {
  readonly api: Api
  /** What was waited for, in milliseconds; the waits themselves take no time. */
  readonly waits: number[]
  readonly debugLines: string[]
  readonly notices: string[]
  /** What was written and could not be shown, each with the reason. */
  readonly unread: string[]
}

/** The connector of `crm serve`, for the address of one server. */
export const CRM = await connectorOf('crm')

/** The connector of the contract, which is a part of it. */
export const CONTRACT = await connectorOf('contract')

async function connectorOf(name: string) {
  const document = await connectorDocument({ name })
  return (baseUrl: URL, terms: TermsAndSize) =>
    createConnector(withPageSize(document, terms.pageSize), { baseUrl, variables: {} })
}

interface ClientFixtureOptions extends Partial<Omit<ApiOptions, 'wire'>> {
  readonly terms?: TermsAndSize
}

/** A client whose waits are counted and not waited, with jitter at its longest. */
export function openClient(
  baseUrl: URL,
  options: ClientFixtureOptions = {},
  timing: Partial<HostTiming> = {},
): Fixture {
  const fixture = { waits: [] as number[], debugLines: [] as string[], notices: [] as string[], unread: [] as string[] }
  const api = createApi(
    {
      baseUrl,
      key: 'crm_key_of_the_test',
      timeoutMs: 5000,
      maxWaitMs: 60_000,
      userAgent: 'crm/0.0.0',
      signal: new AbortController().signal,
      now: Date.now,
      debug: (line) => fixture.debugLines.push(line),
      onWait: (waitMs, reason) => fixture.notices.push(`${waitMs} ${reason}`),
      onUnread: ({ done, reason }) => fixture.unread.push(`${done}: ${reason}`),
      terms: SERVER_TERMS,
      connector: CRM(baseUrl, options.terms ?? SERVER_TERMS),
      ...options,
    },
    { sleep: async (ms) => void fixture.waits.push(ms), random: () => 1, ...timing },
  )
  onTestFinished(() => api.close())
  return { api, ...fixture }
}

export async function failureOf(promise: Promise<unknown>): Promise<CrmError> {
  const error = await promise.then(
    () => expect.fail('expected a failure'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(CrmError)
  return error as CrmError
}

export async function allPages(pages: AsyncIterable<Page>): Promise<Page[]> {
  const taken: Page[] = []
  for await (const page of pages) taken.push(page)
  return taken
}
