import { XmlFault } from './scan-xml.ts'
import type { WorkbookParts } from './workbook-parts.ts'

/** Texts of cells that a workbook stores once; outside the heap, because a million of them are no rarity. */
export interface SharedStrings {
  /** XmlFault if there is none with this number. */
  at(index: number): string
}

const MIB = 1024 * 1024
const FIRST_BYTES = MIB / 4
const MOST_BYTES = 256 * MIB
/** Four bytes each in the index. */
const MOST_STRINGS = 10_000_000

export const NO_STRINGS: SharedStrings = {
  at: (index) => {
    throw new XmlFault(`there is no shared text ${index}`)
  },
}

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

export async function readSharedStrings(parts: WorkbookParts, path: string): Promise<SharedStrings> {
  const pool = new TextPool()
  const runs = createTextRuns()
  await parts.scan(path, {
    open: (name) => runs.open(name),
    text: (text) => runs.add(text),
    close: (name) => {
      runs.close(name)
      if (name === 'si') pool.add(runs.take())
    },
  })
  return pool
}

/** One buffer that doubles, and where each text starts in it. */
class TextPool implements SharedStrings {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #starts = new Uint32Array(1024)
  #used = 0
  #count = 0

  add(text: string): void {
    const length = Buffer.byteLength(text)
    const needed = this.#used + length
    if (needed > MOST_BYTES || this.#count >= MOST_STRINGS) {
      throw new XmlFault(`more than ${MOST_BYTES / MIB} MiB of texts, or than ${MOST_STRINGS} texts`)
    }
    if (needed > this.#bytes.length) this.#bytes = grown(this.#bytes, needed)
    this.#bytes.write(text, this.#used)
    if (this.#count + 2 > this.#starts.length) {
      const starts = new Uint32Array(2 * this.#starts.length)
      starts.set(this.#starts)
      this.#starts = starts
    }
    this.#used = needed
    this.#count += 1
    this.#starts[this.#count] = needed
  }

  at(index: number): string {
    if (!(index >= 0 && index < this.#count)) throw new XmlFault(`there is no shared text ${index}`)
    return this.#bytes.toString('utf8', this.#starts[index], this.#starts[index + 1])
  }
}

function grown(bytes: Buffer, needed: number): Buffer {
  const more = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length))
  bytes.copy(more)
  return more
}
