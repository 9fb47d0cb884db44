import { isAbsolute, resolve } from 'node:path'
import type { ConnectorDocument, Operation, PagingDocument } from '../../connector/document.ts'
import {
  connectorFileText,
  loadConnectorText,
  readConnectorFile,
  shippedConnector,
  shippedNames,
  shippedOrigin,
  shippedText,
} from '../../connector/shipped.ts'
import { compileTemplate, fillHost, readHost } from '../../connector/templates.ts'
import { CrmError } from '../../core/errors.ts'
import { type DescribedObjects, defineOwnObjects } from '../../core/resources/own-objects.ts'
import { oneLine } from '../errors/one-line.ts'
import { withOwnObjects } from '../own-objects.ts'
import { type Connector, createConnector } from './connector.ts'

const MOST_BODY_CHARS = 200

interface Named {
  /** Of a shipped connector, or the absolute path of a file. */
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
  /** What the file holds that could not be written. */
  readonly text?: string | undefined
}

interface OpenedFor {
  readonly baseUrl: URL
  /** The setting `page_size`. */
  readonly pageSize?: number | undefined
  /** What the server was found to have. */
  readonly objects?: DescribedObjects | undefined
}

/** A word with a slash, a backslash or a dot is a file; names have none of them. */
export function connectorPath(word: string, folder: string | undefined): string {
  return /[/\\.]/.test(word) ? resolve(folder ?? '.', word) : word
}

/** The shipped connector of a vendor at this address, with the variables that its host shows; undefined for other servers. */
export function connectorAt({ origin }: URL): Named | undefined {
  for (const name of shippedNames()) {
    const template = shippedOrigin(name)
    const variables = template === undefined ? undefined : readHost(compileTemplate(template), origin)
    if (variables) return { name, variables }
  }
  return undefined
}

/** CrmError `invalid_input` for a name that is not shipped, and for a file that is no connector. */
export async function connectorDocument({ name, text }: Pick<Named, 'name' | 'text'>): Promise<ConnectorDocument> {
  if (text !== undefined) return loadConnectorText(text, name)
  return isAbsolute(name) ? readConnectorFile(name) : shippedConnector(name)
}

/** The YAML of a connector. */
export async function connectorText(name: string): Promise<string> {
  await connectorDocument({ name })
  return isAbsolute(name) ? connectorFileText(name) : (shippedText(name) ?? '')
}

export async function openConnector(named: Named, { baseUrl, pageSize, objects }: OpenedFor): Promise<Connector> {
  const { name, variables } = named
  const shipped = await connectorDocument(named)
  // Another client of this process may define its own at any other time.
  if (objects) defineOwnObjects(objects, 'server')
  const document = withPageSize(withOwnObjects(shipped, objects), pageSize)
  return createConnector(document, { baseUrl, variables, word: name })
}

/** No list has larger pages than this; the largest page of the connector is never exceeded. */
export function withPageSize(document: ConnectorDocument, pageSize: number | undefined): ConnectorDocument {
  if (pageSize === undefined) return document
  const resources = Object.entries(document.resources).map(([name, resource]) => {
    const { list } = resource
    return [name, list ? { ...resource, list: { ...list, paging: smaller(list.paging, pageSize) } } : resource]
  })
  return { ...document, resources: Object.fromEntries(resources) }
}

function smaller(paging: PagingDocument, most: number): PagingDocument {
  const { size } = paging
  return size ? { ...paging, size: { ...size, max: Math.min(size.max, most) } } : paging
}

/** The address that the connector states. CrmError `usage` if it states none, `invalid_input` for a variable without a value. */
export async function connectorAddress({ name, variables }: Named): Promise<URL> {
  const { origin, base } = await connectorDocument({ name })
  if (origin === undefined) {
    throw new CrmError('usage', `the connector ${name} names no server`, {
      hint: `crm auth login --connector ${name} --base-url https://crm.example.com`,
    })
  }
  return new URL(fillHost(compileTemplate(origin), variables) + base)
}

/** The request by which a connector lists contacts, as a person judges it. */
export function contactsRequest({ resources }: ConnectorDocument): string | undefined {
  const list = resources.contact?.list
  return list && readText(list)
}

/** The bare origin of a server stands for the address at which its connector speaks. */
export function withBase(address: URL, { base }: Pick<ConnectorDocument, 'base'>): URL {
  return address.pathname === '/' && base !== '' ? new URL(base, address) : address
}

/**
 * The requests by which a connector reads, each once, as a person judges them: `GET /people`, `POST /people/query {"filter":…}`.
 * A POST may do anything, whatever the file calls it.
 */
export function readRequests({ resources }: Pick<ConnectorDocument, 'resources'>): readonly string[] {
  const operations = Object.values(resources).flatMap(({ list, get, find, names }) => [
    ...[list, get, names].filter((operation) => operation !== undefined),
    ...Object.values(find),
  ])
  return [...new Set(operations.map(readText))]
}

function readText({ method, path, body }: Operation): string {
  return body === undefined
    ? `${method} ${path}`
    : `${method} ${path} ${oneLine(JSON.stringify(body), MOST_BODY_CHARS)}`
}
