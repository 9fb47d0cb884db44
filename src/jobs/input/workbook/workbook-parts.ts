import { StringDecoder } from 'node:string_decoder'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { CrmError } from '../../../core/errors.ts'
import { createXmlScanner, type XmlEvents, XmlFault } from './scan-xml.ts'
import { workbookError } from './workbook-error.ts'

/** A workbook has tens of files; each sheet, picture and comment is one. */
const MOST_FILES = 10_000

/** Deflate reaches 1032:1. The XML of a real sheet, with its counted cells, stays below 60:1. */
const BOMB = { ratio: 250, bytes: 64 * 1024 * 1024 }

/** The files of a workbook, which are read from the archive and never written to disk under their names. */
export interface WorkbookParts {
  has(path: string): boolean
  /** CrmError `invalid_input` for a file that is missing, damaged, encrypted or a bomb. */
  scan(path: string, events: XmlEvents, onBytes?: (done: number, total: number) => void): Promise<void>
  close(): void
}

export interface PartsInput {
  readonly path: string
  readonly name: string
  readonly signal: AbortSignal
}

export async function openParts({ path, name, signal }: PartsInput): Promise<WorkbookParts> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch((cause: unknown) => {
    throw damagedZip(name, cause)
  })
  const entries = await entriesOf(zip, name).catch((error: unknown) => {
    zip.close()
    throw error
  })
  return {
    has: (part) => entries.has(part.toLowerCase()),
    async scan(part, events, onBytes) {
      const entry = entries.get(part.toLowerCase())
      if (!entry) throw workbookError(name, { what: `the file ${part} of the workbook is missing` })
      await scanEntry(zip, entry, { name, events, signal, onBytes })
    },
    close: () => zip.close(),
  }
}

async function entriesOf(zip: ZipFile, name: string): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) {
      // A name that occurs twice could be read as one file by us and as another by a spreadsheet program.
      const key = entry.fileName.toLowerCase()
      if (entries.has(key))
        throw workbookError(name, { what: `it has the file ${JSON.stringify(entry.fileName)} twice` })
      entries.set(key, entry)
      if (entries.size > MOST_FILES) throw workbookError(name, { what: `it has more than ${MOST_FILES} files` })
    }
  } catch (error) {
    throw error instanceof CrmError ? error : damagedZip(name, error)
  }
  return entries
}

interface Scanning {
  readonly name: string
  readonly events: XmlEvents
  readonly signal: AbortSignal
  readonly onBytes: ((done: number, total: number) => void) | undefined
}

async function scanEntry(zip: ZipFile, entry: Entry, { name, events, signal, onBytes }: Scanning): Promise<void> {
  const place = entry.fileName
  if (entry.isEncrypted()) {
    throw workbookError(name, { what: 'it is encrypted', hint: 'save it without a password' })
  }
  const scanner = createXmlScanner(events)
  const decoder = new StringDecoder('utf8')
  let [done, checksum] = [0, 0]
  try {
    const stream = await zip.openReadStreamPromise(entry)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      if (done === 0) refuseOtherEncoding(chunk)
      done += chunk.length
      checksum = crc32(chunk, checksum)
      if (done > BOMB.bytes && done > BOMB.ratio * entry.compressedSize) {
        const what = `a file of it expands to more than ${BOMB.ratio} times its size`
        throw workbookError(name, { what, place })
      }
      scanner.push(done === chunk.length ? decoder.write(chunk).replace(/^\ufeff/, '') : decoder.write(chunk))
      onBytes?.(done, entry.uncompressedSize)
    }
    if (checksum !== entry.crc32) throw new Error(`the checksum of ${place} differs`)
    scanner.push(decoder.end())
    scanner.end()
  } catch (cause) {
    throw signal.aborted ? cause : partError(name, place, cause)
  }
}

function partError(name: string, place: string, cause: unknown): unknown {
  if (cause instanceof CrmError) return cause
  if (!(cause instanceof XmlFault)) return damagedZip(name, cause, place)
  return workbookError(name, { what: `it is no XML of a workbook: ${cause.message}`, place, cause })
}

/** OOXML is UTF-8 or UTF-16; every spreadsheet program writes UTF-8. */
function refuseOtherEncoding(head: Buffer): void {
  const start = head.toString('latin1', 0, 200)
  const named = /^(?:\xef\xbb\xbf)?<\?xml[^>]*encoding=["']([^"']*)/.exec(start)?.[1] ?? 'UTF-8'
  if (/^(?:\xfe\xff|\xff\xfe|.?\0)/s.test(start) || !/^utf-?8$|^us-ascii$/i.test(named)) {
    throw new XmlFault('its encoding is not UTF-8')
  }
}

function damagedZip(name: string, cause: unknown, place?: string): Error {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return workbookError(name, { what: `the archive is damaged${reason}`, ...(place && { place }), cause })
}
