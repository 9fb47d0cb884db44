import type { ConnectorDocument } from '../../src/connector/document.ts'
import { shippedConnector, shippedNames } from '../../src/connector/shipped.ts'

const DOCUMENTS = new Map(
  await Promise.all(shippedNames().map(async (name) => [name, await shippedConnector(name)] as const)),
)

/** A shipped connector, loaded once for all tests of a file. */
export function shippedDocument(name: string): ConnectorDocument {
  const document = DOCUMENTS.get(name)
  if (!document) throw new Error(`no connector is named ${name}`)
  return document
}
