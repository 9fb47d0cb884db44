import type { Connector } from '../../src/api/connectors/connector.ts'
import type { Env } from '../../src/core/streams.ts'
import { type Jobs, openJobs } from '../../src/jobs/jobs.ts'
import { openClient, SERVER_TERMS } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'

/** Bulk work with a server, in a separate home. */
export async function jobsAt(
  baseUrl: URL,
  key: string,
  signal = new AbortController().signal,
  { home, connector }: { readonly home?: Env; readonly connector?: Connector } = {},
): Promise<Jobs> {
  const env = home ?? { HOME: await tempFolder() }
  const { api } = openClient(baseUrl, { key, signal, ...(connector && { connector }) })
  return openJobs({
    ...{
      env,
      stdin: () => process.stdin,
      argv: ['browse'],
      version: '0.0.0',
      signal,
      now: Date.now,
      timing: undefined,
    },
    ...{ note: () => {}, isTrial: false, api: async () => api, requireProven: async () => {} },
    server: async () => ({
      ...{ baseUrl, key, terms: { ...SERVER_TERMS, pageSize: 100 }, timeoutMs: 5_000, userAgent: 'crm/0.0.0' },
      ...{ now: Date.now, debug: undefined, loginHint: undefined, serveDatabase: undefined, env },
    }),
  })
}
