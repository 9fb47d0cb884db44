import { createHash } from 'node:crypto'
import type { Pipeline } from '../store.ts'
import { differentRow } from './copy-failures.ts'
import type { CopiedRows, CopySource, CopyTarget } from './ends.ts'
import { COPIED_TABLES, type CopiedTable, cellsOf, keyText, type Row } from './tables.ts'

/** A table whose rows are equal in both databases. */
export interface ComparedTable {
  readonly table: string
  readonly rows: number
  /** SHA-256 of its rows in the order of their key, each as a line of JSON: equal rows have one digest in any database. */
  readonly sha256: string
}

/** Reads both databases whole. Throws a CrmError that names the first row in which they differ. */
export async function compareAll(
  source: CopySource,
  target: CopyTarget,
  onRows: (count: number) => void,
): Promise<readonly ComparedTable[]> {
  const tables: ComparedTable[] = []
  let done = 0
  try {
    tables.push(comparePipelines(await source.pipelines(), await target.pipelines()))
    for (const table of COPIED_TABLES) {
      const before = done
      const compared = await compareTable(table, new Walk(source, table), new Walk(target, table), (rows) => {
        done = before + rows
        onRows(done)
      })
      tables.push(compared)
    }
    return tables
  } catch (error) {
    throw error instanceof Difference ? differentRow(source, target, error) : error
  }
}

/** The first row that is not the same, or that one database lacks. */
class Difference extends Error {
  override readonly name = 'Difference'
  readonly table: string
  readonly key: string

  constructor(table: string, key: string) {
    super(`${table} ${key}`)
    this.table = table
    this.key = key
  }
}

async function compareTable(
  table: CopiedTable,
  source: Walk,
  target: Walk,
  onRows: (rows: number) => void,
): Promise<ComparedTable> {
  const hash = createHash('sha256')
  let rows = 0
  for (;;) {
    const both = Math.min(...(await Promise.all([source.fill(), target.fill()])))
    if (both === 0) break
    for (let count = 0; count < both; count++) {
      const [mine = [], theirs = []] = [source.next(), target.next()]
      const line = JSON.stringify(theirs)
      if (JSON.stringify(mine) !== line) throw new Difference(table.name, keyText(table, earlier(table, mine, theirs)))
      hash.update(`${line}\n`)
    }
    rows += both
    onRows(rows)
  }
  const extra = source.next() ?? target.next()
  if (extra) throw new Difference(table.name, keyText(table, extra))
  return { table: table.name, rows, sha256: hash.digest('hex') }
}

/** Where one database lacks a row, the other is at a later one. */
function earlier(table: CopiedTable, one: Row, other: Row): Row {
  const keys = [one, other].map((row) => cellsOf(table, table.key, row)) as [Row, Row]
  const place = keys[0].findIndex((cell, at) => cell !== keys[1][at])
  return (keys[0][place] ?? '') <= (keys[1][place] ?? '') ? one : other
}

/** The rows of a table in the order of its key, read in batches. */
class Walk {
  readonly #from: CopiedRows
  readonly #table: CopiedTable
  #rows: readonly Row[] = []
  #at = 0

  constructor(from: CopiedRows, table: CopiedTable) {
    this.#from = from
    this.#table = table
  }

  /** Reads more rows if there are none left; returns how many there are, 0 at the end. */
  async fill(): Promise<number> {
    if (this.#at === this.#rows.length) {
      const last = this.#rows.at(-1)
      const { key } = this.#table
      this.#rows = await this.#from.read(this.#table, key, last && cellsOf(this.#table, key, last))
      this.#at = 0
    }
    return this.#rows.length - this.#at
  }

  next(): Row | undefined {
    return this.#rows[this.#at++]
  }
}

function comparePipelines(source: readonly Pipeline[], target: readonly Pipeline[]): ComparedTable {
  const [ours, theirs] = [source.map(pipelineLine), target.map(pipelineLine)]
  const at = Array.from({ length: Math.max(ours.length, theirs.length) }).findIndex(
    (_, place) => ours[place] !== theirs[place],
  )
  if (at >= 0) throw new Difference('pipelines', (source[at] ?? target[at])?.id ?? '')
  const sha256 = createHash('sha256').update(theirs.join('')).digest('hex')
  return { table: 'pipelines', rows: theirs.length, sha256 }
}

/** With its stages, in the order in which they are shown. */
function pipelineLine({ id, name, stages }: Pipeline): string {
  const shown = stages.map((stage) => [stage.id, stage.name, stage.position, stage.probability ?? null])
  return `${JSON.stringify([id, name, shown])}\n`
}
