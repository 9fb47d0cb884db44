import type { ApiOptions } from '../../src/api/options.ts'
import { type Connections, openConnections } from '../../src/api/transport/connections.ts'
import type { HostTiming } from '../../src/api/transport/timing.ts'
import { type Fixture, openClient } from './client-fixture.ts'

interface Tested {
  readonly over: 'node:http' | 'undici'
  open(options: Pick<ApiOptions, 'baseUrl' | 'timeoutMs'>, most: number): Connections
  /** As openClient, with all requests over this transport. */
  readonly openClient: (url: URL, options?: Partial<ApiOptions>, timing?: Partial<HostTiming>) => Fixture
  readonly requestsBeforeUndici: number
}

/** For `describe.each`: what holds for one of them holds for both. */
export const TRANSPORTS: readonly Tested[] = [tested('node:http', Number.POSITIVE_INFINITY), tested('undici', 0)]

function tested(over: Tested['over'], requestsBeforeUndici: number): Tested {
  return {
    over,
    open: (options, most) => openConnections({ ...options, requestsBeforeUndici }, most),
    openClient: (url, options, timing) => openClient(url, { requestsBeforeUndici, ...options }, timing),
    requestsBeforeUndici,
  }
}
