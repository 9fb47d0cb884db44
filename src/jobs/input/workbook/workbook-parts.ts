import { StringDecoder } from 'node:string_decoder'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { CrmError } from '../../../core/errors.ts'
import { inputName } from '../input-file.ts'
import { createXmlScanner, type XmlEvents, XmlFault } from './scan-xml.ts'

/** A workbook has tens of files; each sheet, picture and comment is one. */
const MOST_FILES = 10_000

/** Deflate reaches 1032:1. The XML of a real sheet, with its counted cells, stays below 60:1. */
const BOMB = { ratio: 250, bytes: 64 * 1024 * 1024 }

const SAVE_AGAIN = 'open it in a spreadsheet program and save it as xlsx again, or as CSV UTF-8'

interface WorkbookFault {
  /** In lower case: what was found, and what was expected. */
  readonly what: string
  /** A sheet, a cell or a file inside the workbook. */
  readonly place?: string | undefined
  readonly hint?: string
  readonly cause?: unknown
}

/** A workbook that cannot be read as a whole. */
export function workbookError(name: string, { what, place, hint = SAVE_AGAIN, cause }: WorkbookFault): CrmError {
  const where = place === undefined ? '' : `, ${place}`
  return new CrmError('invalid_input', `${inputName(name)}${where}: ${what}`, { hint, cause })
}

function unreadable(name: string, cause: unknown, place?: string): CrmError {
  if (cause instanceof CrmError) return cause
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  const what = cause instanceof XmlFault ? 'it is no XML of a workbook' : 'the archive is damaged'
  return workbookError(name, { what: `${what}${reason}`, place, cause })
}

/** The files of a workbook, which are read from the archive and never written to disk under their names. */
export interface WorkbookParts {
  has(path: string): boolean
  /** The bytes of a file; 0 if there is none. */
  size(path: string): number
  /** CrmError `invalid_input` for a file that is missing, damaged, encrypted or a bomb. */
  scan(path: string, events: XmlEvents, onChunk?: OnChunk): Promise<void>
  close(): void
}

type OnChunk = (done: number, total: number) => Promise<void>

interface PartsInput {
  readonly path: string
  readonly name: string
  readonly signal: AbortSignal
}

export async function openParts(input: PartsInput): Promise<WorkbookParts> {
  const { path, name } = input
  let zip: ZipFile | undefined
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false })
    const entries = await entriesOf(zip, name)
    const [opened, entryOf] = [zip, (part: string) => entries.get(part.toLowerCase())]
    return {
      has: (part) => entryOf(part) !== undefined,
      size: (part) => entryOf(part)?.uncompressedSize ?? 0,
      async scan(part, events, onChunk) {
        const entry = entryOf(part)
        if (!entry) throw workbookError(name, { what: `the file ${part} of the workbook is missing` })
        try {
          await scanEntry(opened, entry, { ...input, events, onChunk })
        } catch (cause) {
          throw input.signal.aborted ? cause : unreadable(name, cause, entry.fileName)
        }
      },
      close: () => opened.close(),
    }
  } catch (error) {
    zip?.close()
    throw unreadable(name, error)
  }
}

async function entriesOf(zip: ZipFile, name: string): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    // A name that occurs twice could be read as one file by us and as another by a spreadsheet program.
    const key = entry.fileName.toLowerCase()
    if (entries.has(key)) throw workbookError(name, { what: `it has the file ${JSON.stringify(entry.fileName)} twice` })
    entries.set(key, entry)
    if (entries.size > MOST_FILES) throw workbookError(name, { what: `it has more than ${MOST_FILES} files` })
  }
  return entries
}

interface Scanning extends PartsInput {
  readonly events: XmlEvents
  readonly onChunk: OnChunk | undefined
}

async function scanEntry(zip: ZipFile, entry: Entry, { name, events, signal, onChunk }: Scanning): Promise<void> {
  if (entry.isEncrypted()) throw workbookError(name, { what: 'it is encrypted', hint: 'save it without a password' })
  const scanner = createXmlScanner(events)
  const decoder = new StringDecoder('utf8')
  let [done, checksum] = [0, 0]
  const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry)
  for await (const chunk of stream) {
    signal.throwIfAborted()
    if (done === 0) refuseOtherEncoding(chunk)
    done += chunk.length
    checksum = crc32(chunk, checksum)
    if (done > BOMB.bytes && done > BOMB.ratio * entry.compressedSize) {
      const what = `a file of it expands to more than ${BOMB.ratio} times its size`
      throw workbookError(name, { what, place: entry.fileName })
    }
    scanner.push(done === chunk.length ? decoder.write(chunk).replace(/^\ufeff/, '') : decoder.write(chunk))
    await onChunk?.(done, entry.uncompressedSize)
  }
  if (checksum !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} differs`)
  scanner.push(decoder.end())
  scanner.end()
}

/** OOXML is UTF-8 or UTF-16; every spreadsheet program writes UTF-8. */
function refuseOtherEncoding(head: Buffer): void {
  const start = head.toString('latin1', 0, 200)
  const named = /^(?:\xef\xbb\xbf)?<\?xml[^>]*encoding=["']([^"']*)/.exec(start)?.[1] ?? 'UTF-8'
  if (/^(?:\xfe\xff|\xff\xfe|.?\0)/s.test(start) || !/^utf-?8$|^us-ascii$/i.test(named)) {
    throw new XmlFault('its encoding is not UTF-8')
  }
}
