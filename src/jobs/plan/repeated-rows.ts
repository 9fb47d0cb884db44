import { canonicalJson, isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import type { InputRow, RowSource } from '../input/row.ts'
import { keyOfRow } from './existing.ts'
import { type KeyIndex, openKeyIndex, openScratch, type Scratch } from './scratch.ts'

/** `--duplicates`: what becomes of rows that have the same key. */
export type Duplicates = 'error' | 'first' | 'last' | 'merge'

/** The row that stands for all rows with its key, or the line of that row. */
export type Standing = { readonly row: InputRow } | { readonly line: number }

/** For `last` and `merge`, in a second pass over the same rows. */
export interface RepeatedRows {
  standingFor(row: InputRow): Standing
  close(): void
}

interface RepeatedParts {
  readonly folder: string
  readonly source: Pick<RowSource, 'rows'>
  readonly names: readonly string[]
  readonly isMerging: boolean
}

/** Reads all rows once, to know the last one of each key. */
export async function findRepeated(parts: RepeatedParts): Promise<RepeatedRows> {
  const { folder, source, names, isMerging } = parts
  const lastLines = openKeyIndex(folder, 'last')
  for await (const rows of source.rows()) {
    for (const row of rows) {
      const key = keyOfRow(row, names)
      if (key !== undefined) lastLines.set(key, row.line)
    }
  }
  const waiting = isMerging ? openWaiting(folder) : undefined
  return {
    standingFor: (row) => {
      const key = keyOfRow(row, names)
      const line = key === undefined ? undefined : lastLineOf(lastLines, key)
      if (key === undefined || line === undefined || line === row.line) {
        return { row: key === undefined || !waiting ? row : waiting.mergeInto(key, row) }
      }
      waiting?.keep(key, row)
      return { line }
    },
    close: () => {
      lastLines.close()
      waiting?.close()
    },
  }
}

function lastLineOf(lastLines: KeyIndex, key: string): number | undefined {
  const line = lastLines.getOrSet(key, 0)
  return line === 0 ? undefined : line
}

interface Waiting {
  keep(key: string, row: InputRow): void
  mergeInto(key: string, last: InputRow): InputRow
  close(): void
}

/** The rows before the last one of their key, on disk: a file may have a million of them. */
function openWaiting(folder: string): Waiting {
  const { database, close }: Scratch = openScratch(folder, 'merged')
  database.exec('CREATE TABLE waiting (key TEXT, line INTEGER, offset INTEGER, length INTEGER, fields TEXT)')
  database.exec('CREATE INDEX by_key ON waiting (key)')
  const insert = database.prepare('INSERT INTO waiting VALUES (?, ?, ?, ?, ?)')
  const select = database.prepare('SELECT line, offset, length, fields FROM waiting WHERE key = ? ORDER BY offset')
  return {
    keep: (key, { line, offset, length, fields }) => insert.run(key, line, offset, length, canonicalJson(fields)),
    mergeInto: (key, last) => {
      const before = select.all(key)
      if (before.length === 0) return last
      const all = [...before.map(({ fields }) => parseExactJson(String(fields)) as JsonObject), last.fields]
      const also = before.map((row) => [Number(row.line), Number(row.offset), Number(row.length)] as const)
      return { ...last, fields: all.reduce(merged), also }
    },
    close,
  }
}

/** The values of both; where both have one, that of the later row. */
function merged(earlier: JsonObject, later: JsonObject): JsonObject {
  const fields = { ...earlier }
  for (const [name, value] of Object.entries(later)) {
    const before = Object.hasOwn(earlier, name) ? earlier[name] : undefined
    fields[name] = isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value
  }
  return fields
}
