import type { CrmRecord } from '../../core/resources/registry.ts'

/** The searched texts of some rows as one text, in which a word is found faster than in a text for each row. */
export interface SearchBlock {
  readonly rows: readonly CrmRecord[]
  /** The index of the first row in the list. */
  readonly first: number
  /** In lower case, a line for each searched member. */
  readonly text: string
  /** Where the text of each row begins, and where the last one ends. */
  readonly starts: Uint32Array
}

const BLOCK_ROWS = 1_000

/** A list without a filter has none. */
const ofLists = new WeakMap<readonly CrmRecord[], readonly SearchBlock[]>()
/** By the first row: most blocks of a list that has changed are those of the list before. */
const byFirstRow = new WeakMap<CrmRecord, SearchBlock>()

/** In the order of the rows; made once for each list. */
export function searchBlocks(rows: readonly CrmRecord[], searched: readonly string[]): readonly SearchBlock[] {
  const before = ofLists.get(rows)
  if (before) return before
  const blocks: SearchBlock[] = []
  for (let first = 0; first < rows.length; first += BLOCK_ROWS) blocks.push(blockAt(rows, searched, first))
  ofLists.set(rows, blocks)
  return blocks
}

function blockAt(all: readonly CrmRecord[], searched: readonly string[], first: number): SearchBlock {
  const rows = all.slice(first, first + BLOCK_ROWS)
  const [key = {}] = rows
  const before = byFirstRow.get(key)
  const isSame = before?.first === first && before.rows.length === rows.length
  if (isSame && rows.every((row, index) => row === before.rows[index])) return before
  const texts = rows.map((row) => searchedText(row, searched))
  const starts = new Uint32Array(rows.length + 1)
  for (const [index, text] of texts.entries()) starts[index + 1] = (starts[index] ?? 0) + text.length
  const block = { rows, first, text: texts.join(''), starts }
  byFirstRow.set(key, block)
  return block
}

/** In lower case, a line for each searched member. */
export function searchedText(record: CrmRecord, members: readonly string[]): string {
  let text = ''
  for (const name of members) {
    const value = record[name]
    if (typeof value === 'string') text += `${value.slice(0, 200)}\n`
    else if (typeof value === 'number') text += `${value}\n`
  }
  return text.toLowerCase()
}
