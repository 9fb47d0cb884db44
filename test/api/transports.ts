import type { ApiOptions } from '../../src/api/options.ts'
import type { HttpTransport } from '../../src/api/transport/exchange.ts'
import { openNodeTransport } from '../../src/api/transport/node-transport.ts'
import type { HostTiming } from '../../src/api/transport/timing.ts'
import { openUndiciTransport } from '../../src/api/transport/undici-transport.ts'
import { type Fixture, openClient } from './client-fixture.ts'

interface Tested {
  readonly over: 'node:http' | 'undici'
  open(options: Pick<ApiOptions, 'baseUrl' | 'timeoutMs'>, most: number): HttpTransport
  /** As openClient, with all requests over this transport. */
  readonly openClient: (url: URL, options?: Partial<ApiOptions>, timing?: Partial<HostTiming>) => Fixture
  readonly requestsBeforeUndici: number
}

/** For `describe.each`: what holds for one of them holds for both. */
export const TRANSPORTS: readonly Tested[] = [
  tested('node:http', openNodeTransport, Number.POSITIVE_INFINITY),
  tested('undici', openUndiciTransport, 0),
]

function tested(over: Tested['over'], open: Tested['open'], requestsBeforeUndici: number): Tested {
  return {
    over,
    open,
    openClient: (url, options, timing) => openClient(url, { requestsBeforeUndici, ...options }, timing),
    requestsBeforeUndici,
  }
}
