import { isAbsolute, resolve } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { WIRE_DEFAULTS, type Wire } from '../../core/wire.ts'
import { oneLine } from '../errors/one-line.ts'
import { type Connector, createConnector } from './connector.ts'
import type { ConnectorDocument, ListOperation, Operation, PagingDocument } from './document.ts'
import { createRecordMap } from './record-map.ts'
import {
  connectorFileText,
  readConnectorFile,
  shippedConnector,
  shippedNames,
  shippedOrigin,
  shippedText,
} from './shipped.ts'
import { compileTemplate, fillHost, readHost } from './templates.ts'

const MOST_BODY_CHARS = 200

interface Named {
  /** Of a shipped connector, or the absolute path of a file. */
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
}

interface OpenedFor {
  readonly baseUrl: URL
  readonly wire: Wire
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
export async function connectorDocument(name: string): Promise<ConnectorDocument> {
  return isAbsolute(name) ? readConnectorFile(name) : shippedConnector(name)
}

/** The YAML of a connector. */
export async function connectorText(name: string): Promise<string> {
  await connectorDocument(name)
  return isAbsolute(name) ? connectorFileText(name) : (shippedText(name) ?? '')
}

/** For a profile that names none, and for addresses without a profile. */
export const DEFAULT_CONNECTOR: Named = { name: 'crm', variables: {} }

/** With the settings of the profile in place of what the connector says of lists. */
export async function openConnector({ name, variables }: Named, { baseUrl, wire }: OpenedFor): Promise<Connector> {
  const document = withSettings(await connectorDocument(name), wire)
  return createConnector(document, { baseUrl, variables, word: name }, createRecordMap)
}

/** The connector with the `wire.*` settings that differ from their defaults, in each list whose paging it declares. */
export function withSettings(document: ConnectorDocument, wire: Wire): ConnectorDocument {
  const resources = Object.entries(document.resources).map(([name, resource]) => {
    const { list } = resource
    return [name, list && list.paging.by !== 'detected' ? { ...resource, list: changedList(list, wire) } : resource]
  })
  return { ...document, resources: Object.fromEntries(resources) }
}

function changedList(list: ListOperation, wire: Wire): ListOperation {
  const { itemsPath } = wire
  return {
    ...list,
    ...(itemsPath !== undefined && { items: itemsPath.endsWith('[]') ? itemsPath : `${itemsPath}[]` }),
    paging: changedPaging(list.paging, wire),
  }
}

function changedPaging({ size, ...paging }: PagingDocument, wire: Wire): PagingDocument {
  const changedSize = wire.limitParam === undefined ? undefined : changedPageSize(size, wire.limitParam, wire.pageSize)
  return {
    ...paging,
    ...(wire.paging && { by: wire.paging }),
    ...(wire.cursorParam !== undefined && { param: wire.cursorParam }),
    ...(wire.nextPath !== undefined && { next: wire.nextPath }),
    ...(changedSize && { size: changedSize }),
  }
}

function changedPageSize(size: PagingDocument['size'], param: string, max: number): PagingDocument['size'] {
  const isParamSet = param !== WIRE_DEFAULTS.limitParam
  const isMaxSet = max !== WIRE_DEFAULTS.pageSize
  if (!size) return isParamSet ? { param, max } : undefined
  return { param: isParamSet ? param : size.param, max: isMaxSet ? max : size.max }
}

/** The address that the connector states. CrmError `usage` if it states none, `invalid_input` for a variable without a value. */
export async function connectorAddress({ name, variables }: Named): Promise<URL> {
  const { origin, base } = await connectorDocument(name)
  if (origin === undefined) {
    throw new CrmError('usage', `the connector ${name} names no server`, {
      hint: `crm auth login --connector ${name} --base-url https://crm.example.com`,
    })
  }
  return new URL(fillHost(compileTemplate(origin), variables) + base)
}

/** The requests by which a connector reads, and the one by which it lists contacts, as a person judges them. */
export async function readsOf(
  name: string,
): Promise<{ readonly all: readonly string[]; readonly contacts: string | undefined }> {
  const document = await connectorDocument(name)
  const list = document.resources.contact?.list
  return { all: readRequests(document), contacts: list && readText(list) }
}

/** The bare origin of a server stands for the address at which its connector speaks. */
export function withBase(address: URL, { base }: Pick<ConnectorDocument, 'base'>): URL {
  return address.pathname === '/' && base !== '' ? new URL(base, address) : address
}

/**
 * The requests by which a connector reads, each once, as a person judges them: `GET /people`, `POST /people/query {"filter":…}`.
 * A POST may do anything, whatever the file calls it.
 */
function readRequests({ resources }: Pick<ConnectorDocument, 'resources'>): readonly string[] {
  const operations = Object.values(resources).flatMap(({ list, get, find, select }) => [
    ...[list, get, select?.names?.operation].filter((operation) => operation !== undefined),
    ...Object.values(find),
  ])
  return [...new Set(operations.map(readText))]
}

function readText({ method, path, body }: Operation): string {
  return body === undefined
    ? `${method} ${path}`
    : `${method} ${path} ${oneLine(JSON.stringify(body), MOST_BODY_CHARS)}`
}
