import { type ComparedTable, compareAll } from './compare-rows.ts'
import { changedSource, otherSource } from './copy-failures.ts'
import type { CopiedRows, CopyPlace, CopySource, CopyTarget } from './ends.ts'
import { COPIED_TABLES, type CopiedTable, cellsOf } from './tables.ts'

export interface CopyOptions {
  /** The value of `--from`, without its password. */
  readonly location: string
  readonly signal: AbortSignal
  readonly onProgress: (progress: CopyProgress) => void
}

export interface CopyProgress {
  readonly phase: 'copied' | 'compared'
  readonly done: number
  readonly total: number
}

/** Copies all rows, from where an unfinished copy ended, compares them, and makes the target a database of crm. */
export async function copyRows(
  source: CopySource,
  target: CopyTarget,
  { location, signal, onProgress }: CopyOptions,
): Promise<readonly ComparedTable[]> {
  await beginOrGoOn(source, target, location)
  const total = await countRows(source)
  let place = await target.place()
  let done = await countRows(target)
  for (const table of COPIED_TABLES.slice(indexOf(place))) {
    const written = (count: number): void => {
      done += count
      onProgress({ phase: 'copied', done, total })
      signal.throwIfAborted()
    }
    place = await copyTable(source, target, { table, place, written })
  }
  onProgress({ phase: 'compared', done: 0, total })
  await target.addIndexes()
  const compared = await compareAll(source, target, (count) => {
    onProgress({ phase: 'compared', done: count, total })
    signal.throwIfAborted()
  })
  await target.finish()
  return compared
}

/** An unfinished copy goes on only from the database that it was begun from. */
async function beginOrGoOn(source: CopySource, target: CopyTarget, location: string): Promise<void> {
  const lastSerial = await source.lastSerial()
  const { origin } = target
  if (!origin) {
    const first = startOf(COPIED_TABLES[0])
    await target.begin({ location, name: source.name, lastSerial }, await source.pipelines(), first)
    return
  }
  if (origin.name !== source.name) throw otherSource(target, origin, source)
  if (origin.lastSerial !== lastSerial) throw changedSource(target, source)
}

interface TableCopy {
  readonly table: CopiedTable
  /** The last row that was written, of this table or of one before it. */
  readonly place: CopyPlace
  readonly written: (count: number) => void
}

/** Each batch is read while the one before it is written. */
async function copyTable(
  source: CopySource,
  target: CopyTarget,
  { table, place, written }: TableCopy,
): Promise<CopyPlace> {
  const order = source.orderOf(table)
  let from = place
  const after = from.table === table.name ? from.after : null
  let rows = await source.read(table, order, after ?? undefined)
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    const to = { table: table.name, after: cellsOf(table, order, last) }
    const [next] = await Promise.all([source.read(table, order, to.after), target.write(table, rows, { from, to })])
    written(rows.length)
    from = to
    rows = next
  }
  return from
}

function startOf(table: CopiedTable | undefined): CopyPlace {
  return { table: table?.name ?? '', after: null }
}

function indexOf({ table }: CopyPlace): number {
  return COPIED_TABLES.findIndex(({ name }) => name === table)
}

async function countRows(rows: CopiedRows): Promise<number> {
  let count = 0
  for (const table of COPIED_TABLES) if (!table.hasOneRow) count += await rows.count(table)
  return count
}
