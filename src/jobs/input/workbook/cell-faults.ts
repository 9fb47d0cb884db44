import { SHEET_COLUMNS } from './cell-names.ts'
import type { CellFault } from './read-cells.ts'
import { XmlFault } from './scan-xml.ts'

const MOST_FAULTS = 1_000_000

const CODES: readonly CellFault[] = ['cell_error', 'formula_without_value', 'not_a_date', 'not_a_number']

/** The cells of a sheet without a usable value, in the order of the sheet; eight bytes each. */
export class CellFaults {
  #keys = new Float64Array(64)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** XmlFault if there are too many to keep. */
  add(row: number, column: number, fault: CellFault): void {
    if (this.#count >= MOST_FAULTS) throw new XmlFault(`more than ${MOST_FAULTS} cells with errors`)
    if (this.#count === this.#keys.length) {
      const keys = new Float64Array(2 * this.#keys.length)
      keys.set(this.#keys)
      this.#keys = keys
    }
    this.#keys[this.#count++] = keyOf(row, column) + CODES.indexOf(fault)
  }

  at(row: number, column: number): CellFault | undefined {
    const wanted = keyOf(row, column)
    let [low, high] = [0, this.#count]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#keys[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low < this.#count ? CODES[(this.#keys[low] ?? 0) - wanted] : undefined
  }
}

function keyOf(row: number, column: number): number {
  return (row * SHEET_COLUMNS + column) * CODES.length
}
