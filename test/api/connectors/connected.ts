import { createConnector } from '../../../src/api/connectors/connector.ts'
import { serverTerms } from '../../../src/api/server-terms.ts'
import type { HostTiming } from '../../../src/api/transport/timing.ts'
import { loadConnector } from '../../../src/connector/load-connector.ts'
import { type Answering, type SeenRequest, startServer } from '../answering-server.ts'
import { openClient } from '../client-fixture.ts'

/** A client of a server that answers so, through a connector with these lines. */
export async function connectedTo(lines: string, answer: Answering, key?: string, timing: Partial<HostTiming> = {}) {
  const { url, seen } = await startServer(answer)
  const document = loadConnector(`connector: 2\nname: made\n${lines}`, {
    fileName: 'made.yaml',
    baseOf: () => undefined,
  })
  const connector = createConnector(document, { baseUrl: url, variables: {} })
  const terms = serverTerms(document)
  const { api, ...rest } = openClient(url, { connector, ...(key !== undefined && { key }), terms }, timing)
  return { api, seen, url, ...rest }
}

/** The value of a query parameter of a request. */
export function asked({ path }: SeenRequest, name: string): string | null {
  return new URL(path, 'http://host').searchParams.get(name)
}
