import { oneLine } from '../errors/one-line.ts'
import type { ConnectorDocument, Operation } from './document.ts'

const MOST_BODY_CHARS = 200

/**
 * The requests by which a connector reads, each once, as a person judges them: `GET /people`, `POST /people/query {"filter":…}`.
 * A POST may do anything, whatever the file calls it.
 */
export function readRequests({ resources }: Pick<ConnectorDocument, 'resources'>): readonly string[] {
  const operations = Object.values(resources).flatMap(({ list, get, find, select }) => [
    ...[list, get, select?.names?.operation].filter((operation) => operation !== undefined),
    ...Object.values(find),
  ])
  return [...new Set(operations.map(readText))]
}

export function readText({ method, path, body }: Operation): string {
  return body === undefined
    ? `${method} ${path}`
    : `${method} ${path} ${oneLine(JSON.stringify(body), MOST_BODY_CHARS)}`
}
