import { closeSync, openSync, writeSync } from 'node:fs'
import { toMachineError } from '../../../files/machine-error.ts'
import { XmlFault } from './scan-xml.ts'

/** How a sheet is written for the readers of text. */
export const SHEET_DIALECT = { delimiter: ',', quote: '"', newline: '\n', rowsAreLines: true } as const

const CHUNK_CHARS = 256 * 1024
const GIB = 1024 ** 3
/** Rows of few cells are padded to the width of the headings, so that a small archive could fill a disk. */
const MOST_BYTES = 4 * GIB

const SPECIAL = /[",\p{Cc}]|^\s/u

/** Writes the rows of a sheet as CSV in which a record is a row of the sheet, so that its number is that of the row. */
export class SheetText {
  readonly #path: string
  readonly #file: number
  #text = ''
  #bytes = 0
  #isClosed = false

  constructor(path: string) {
    this.#path = path
    try {
      this.#file = openSync(path, 'wx', 0o600)
    } catch (error) {
      throw toMachineError(error, path)
    }
  }

  add(cells: readonly string[]): void {
    let line = ''
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at] ?? ''
      line += at === 0 ? quoted(cell) : `,${quoted(cell)}`
    }
    this.#push(line)
  }

  /** Rows before the headings. */
  addBlank(): void {
    this.#push('')
  }

  /** A row without values, which counts as one. */
  addEmpty(): void {
    this.#push('""')
  }

  end(): void {
    this.#flush()
    this.close()
  }

  /** May be called more than once. */
  close(): void {
    if (!this.#isClosed) closeSync(this.#file)
    this.#isClosed = true
  }

  #push(line: string): void {
    this.#text += `${line}\n`
    if (this.#text.length > CHUNK_CHARS) this.#flush()
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text)
    this.#text = ''
    this.#bytes += bytes.length
    if (this.#bytes > MOST_BYTES) throw new XmlFault(`more than ${MOST_BYTES / GIB} GiB of cells`)
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
    } catch (error) {
      throw toMachineError(error, this.#path)
    }
  }
}

function quoted(cell: string): string {
  return SPECIAL.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
