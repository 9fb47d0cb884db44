import type { IncomingHttpHeaders } from 'node:http'
import { oneLine } from '../errors/one-line.ts'
import type { Problem } from '../errors/problem.ts'

/** Where servers put the id under which they know a request. */
const OF_THE_SERVER = ['x-request-id', 'request-id', 'x-correlation-id', 'correlation-id', 'x-hubspot-correlation-id']
/** Put there by what stands in front of the server: better than nothing. */
const OF_THE_WAY = ['x-amzn-requestid', 'x-amzn-trace-id', 'x-trace-id', 'cf-ray']

export function requestIdOf(headers: IncomingHttpHeaders, problem?: Problem): string | undefined {
  const inHeader = (names: readonly string[]) => names.map((name) => headers[name]).find(Boolean)
  const found = inHeader(OF_THE_SERVER) ?? problem?.requestId ?? inHeader(OF_THE_WAY)
  const text = Array.isArray(found) ? found[0] : found
  return text ? oneLine(text, 200) : undefined
}
