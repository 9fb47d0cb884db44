import { XmlFault } from './scan-xml.ts'
import type { WorkbookParts } from './workbook-parts.ts'

/** Texts of cells that a workbook stores once; outside the heap, because a million of them are no rarity. */
export interface SharedStrings {
  /** XmlFault if there is none with this number. */
  at(index: number): string
}

const MOST_MIB = 256
const MOST_STRINGS = 10_000_000
/** `<si/>`. */
const LEAST_XML = 5

/** Collects the text of an `si` or `is`: of all its runs, without the phonetic ones. */
export function createTextRuns() {
  let text = ''
  let isText = false
  let phonetic = 0
  return {
    open(name: string): void {
      if (name === 'rPh') phonetic += 1
      isText = name === 't' && phonetic === 0
    },
    close(name: string): void {
      if (name === 'rPh') phonetic -= 1
      isText = false
    },
    add(part: string): void {
      if (isText) text += part
    },
    take(): string {
      const whole = text
      text = ''
      return unescapeControls(whole)
    },
  }
}

/** `_x000D_` stands for a character that XML does not have, and `_x005F_` for an underscore before such a name. */
export function unescapeControls(text: string): string {
  if (!text.includes('_x')) return text
  const plain = text.replace(/_x([\da-fA-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (!plain.isWellFormed()) throw new XmlFault('a text with half a character')
  return plain
}

export async function readSharedStrings(parts: WorkbookParts, path: string | undefined): Promise<SharedStrings> {
  if (path === undefined || !parts.has(path)) return { at: refuseNumber }
  const size = parts.size(path)
  // No text is longer than its XML. What is not written takes no memory.
  const bytes = Buffer.allocUnsafeSlow(Math.min(size, MOST_MIB * 1024 * 1024))
  const ends = new Uint32Array(Math.min(Math.ceil(size / LEAST_XML), MOST_STRINGS))
  const runs = createTextRuns()
  let [count, used] = [0, 0]
  await parts.scan(path, {
    open: runs.open,
    text: runs.add,
    close: (name) => {
      runs.close(name)
      if (name !== 'si') return
      const text = runs.take()
      const end = used + Buffer.byteLength(text)
      if (end > bytes.length || count >= ends.length) {
        throw new XmlFault(`more than ${MOST_MIB} MiB of texts, or than ${MOST_STRINGS} texts`)
      }
      bytes.write(text, used)
      used = end
      ends[count++] = end
    },
  })
  return {
    at: (index) => {
      const end = index < count ? ends[index] : undefined
      return end === undefined ? refuseNumber(index) : bytes.toString('utf8', ends[index - 1] ?? 0, end)
    },
  }
}

function refuseNumber(index: number): never {
  throw new XmlFault(`there is no shared text ${index}`)
}
