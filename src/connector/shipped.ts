import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { ConnectorDocument } from './document.ts'

const ENDING = '.yaml'

/** A connector file has at most 256 KiB; one that is longer is not read whole. */
const MOST_BYTES = 1024 * 1024

/** The `connectors` folder of the package, above the bundle as above the sources. */
function shippedFolder(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const connectors = join(folder, 'connectors')
    if (existsSync(connectors) && existsSync(join(folder, 'package.json'))) return connectors
  }
  throw new CrmError('machine', `the folder connectors of the package is missing above ${import.meta.dirname}`, {
    hint: 'install crm again',
  })
}

/** The names of the connectors that come with the package, in alphabetical order. */
export function shippedNames(): readonly string[] {
  const own = readdirSync(shippedFolder()).filter((file) => file.endsWith(ENDING))
  return own.map((file) => basename(file, ENDING)).toSorted()
}

/** CrmError `invalid_input` for a name that no shipped connector has. */
export async function shippedConnector(name: string): Promise<ConnectorDocument> {
  const names = shippedNames()
  if (names.includes(name))
    return compiledConnector(name) ?? loadConnectorText(shippedText(name) ?? '', `${name}${ENDING}`)
  const near = nearest(name, names)
  throw new CrmError(
    'invalid_input',
    `no connector is named ${JSON.stringify(name)}, expected one of ${names.join(', ')}, or a file`,
    {
      hint: near === undefined ? 'crm connectors list' : `did you mean ${near}?`,
    },
  )
}

/** What `npm run build` made of a shipped connector, beside the bundle; undefined above the sources. */
function compiledConnector(name: string): ConnectorDocument | undefined {
  const path = join(import.meta.dirname, '../../connectors', `${name}.json`)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

/** What reads and checks YAML takes longer to load than the rest of a start. */
export async function loadConnectorText(text: string, fileName: string): Promise<ConnectorDocument> {
  const { loadConnector } = await import('./load-connector.ts')
  return loadConnector(text, { fileName, baseOf: shippedText, baseNames: shippedNames })
}

/** Only names of the folder are read, so that a name is never a path. */
export function shippedText(name: string): string | undefined {
  if (!shippedNames().includes(name)) return undefined
  return readFileSync(join(shippedFolder(), `${name}${ENDING}`), 'utf8')
}

/** What its line `origin:` says: to read and check all connectors takes longer than the rest of a login. */
export function shippedOrigin(name: string): string | undefined {
  return /^origin: (\S+)$/m.exec(shippedText(name) ?? '')?.[1]
}

/** A connector in a file; it may extend a shipped one. CrmError `invalid_input` for a file that cannot be read. */
export async function readConnectorFile(path: string): Promise<ConnectorDocument> {
  return loadConnectorText(connectorFileText(path), path)
}

const NO_FILE = 'there is no such file'

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: NO_FILE,
  ENOTDIR: NO_FILE,
  EACCES: 'the file cannot be read: permission denied',
}

export function connectorFileText(path: string): string {
  const refuse = (why: string, cause?: unknown, hint = 'name a connector in YAML') =>
    new CrmError('invalid_input', `the connector ${path}: ${why}`, { hint, cause })
  try {
    const stats = statSync(path)
    // A device or a pipe may never end.
    if (!stats.isFile()) throw refuse('not a file')
    if (stats.size > MOST_BYTES) throw refuse(`the file has ${stats.size} bytes, expected at most 262144`)
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof CrmError) throw error
    if (error instanceof TypeError) throw refuse('the file is not UTF-8 text', error)
    const why = READ_FAULTS[(error as NodeJS.ErrnoException).code ?? '']
    const hint =
      why === NO_FILE ? `${path} does not exist: name a file that does, or one of crm connectors list` : undefined
    throw why === undefined ? error : refuse(why, error, hint)
  }
}
