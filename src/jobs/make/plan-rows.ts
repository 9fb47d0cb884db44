import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CrmRecord } from '../../core/resources.ts'
import type { JobPaths } from '../folder/job-folder.ts'
import type { Noun } from '../plan/plan-head.ts'
import type { RowSource } from '../row.ts'
import { createKeyIndex } from '../rows/key-index.ts'
import { Existing } from './existing.ts'
import { createOf } from './import-row.ts'
import { Ledger } from './ledger.ts'
import { type ImportMode, matchRow } from './match-rows.ts'
import { pairChangedRows } from './pair-rows.ts'
import type { PlanBuilder } from './plan-builder.ts'

export interface PlanRowsParts {
  readonly paths: JobPaths
  readonly noun: Noun
  readonly source: RowSource
  readonly builder: PlanBuilder
  /** Earlier jobs of the run, the oldest first. */
  readonly before: readonly JobPaths[]
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly onRead: (count: number) => void
  /** The records of the rows are to be deleted. */
  readonly isDeletion: boolean
}

export interface MatchRequest {
  /** Members, or `id` alone; none matches nothing. */
  readonly names: readonly string[]
  readonly mode: ImportMode
}

/** Puts an operation for every row into the plan; what is wrong with rows is in the findings of their source. */
export async function planRows(parts: PlanRowsParts, match: MatchRequest): Promise<void> {
  if (match.names.length > 0) return planMatched(parts, match)
  if (parts.before.length > 0) return planAgain(parts)
  const { source, builder, noun } = parts
  for await (const rows of source.rows()) for (const row of rows) builder.add(createOf(noun, row))
}

async function planMatched(parts: PlanRowsParts, match: MatchRequest): Promise<void> {
  const { paths, source, builder, before, list, onRead, isDeletion } = parts
  const existing = await Existing.read(paths.folder, list(), match.names, onRead)
  const keyLines = await createKeyIndex(join(paths.folder, 'keys.db'))
  const ledger = before.length > 0 ? new Ledger(paths.folder, before) : undefined
  try {
    for await (const rows of source.rows()) {
      for (const row of rows) {
        const planned = matchRow({ ...match, existing, keyLines, source, isDeletion }, row)
        if (typeof planned === 'string') builder.leaveOut(planned)
        else if (planned) builder.add(planned, (digest, n) => absentNow(ledger?.find(digest, n)))
      }
    }
  } finally {
    existing.close()
    keyLines.close()
    rmSync(join(paths.folder, 'keys.db'), { force: true })
    ledger?.close()
  }
}

/** What was made and is not there any more is made under a new key: the old one would only bring back the old answer. */
function absentNow(known: ReturnType<Ledger['find']>): ReturnType<Ledger['find']> {
  return known?.state === 'done' ? { ...known, state: 'failed' } : known
}

/** Rows that say what they said before are done; those that were changed since change what was made of them. */
async function planAgain(parts: PlanRowsParts): Promise<void> {
  const { paths, noun, source, builder, before, list } = parts
  const ledger = new Ledger(paths.folder, before)
  try {
    const changed = await pairChangedRows({ paths, noun, source, ledger, list })
    for await (const rows of source.rows()) {
      for (const row of rows) {
        const planned = changed.get(row.line)
        if (planned === 'unchanged') builder.leaveOut(planned)
        else builder.add(planned ?? createOf(noun, row), (digest, n) => ledger.find(digest, n))
      }
    }
  } finally {
    ledger.close()
  }
}
