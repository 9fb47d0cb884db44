import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isListUnreadable } from '../../api/pages/page-errors.ts'
import type { ValuesOf } from '../../connector/record-map.ts'
import { CrmError } from '../../core/errors.ts'
import { type JsonObject, parseExactJson } from '../../core/json.ts'
import { listedId } from '../../core/record-ids.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { writePrivateFile } from '../../files/replace-file.ts'
import { readResults } from '../history/job-results.ts'
import { type JobPaths, openJobPlan } from '../journal/job-folder.ts'
import { keysOfRecord, matchKey } from '../plan/existing.ts'
import { MatchShown } from '../plan/match-rows.ts'
import type { PlanFile } from '../plan/plan-file.ts'
import type { PlanCounts, PlanHead } from '../plan/plan-format.ts'
import { openScratch, type Scratch } from '../plan/scratch.ts'
import type { RunTerms } from './services.ts'

/** A row of an upsert whose contact exists more than once: another writer made it at the same time. */
export interface DuplicateRow {
  readonly line: number | null
  /** The record that the job made. */
  readonly id: string
  /** All records with its key. */
  readonly ids: readonly string[]
}

/** The result of reading the records of an upsert again. */
export interface Recheck {
  /** Undefined with `--no-recheck`. */
  readonly duplicates: readonly DuplicateRow[] | undefined
}

export interface RecheckParts {
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly terms: Pick<RunTerms, 'isRecheckLeftOut'>
  readonly valuesOf: ValuesOf
}

/**
 * An upsert of crm creates what did not exist when it was planned; another writer may have created the same since. One of the server
 * itself makes no second record.
 */
export function isRechecked({ terms, upsert }: PlanHead, { create }: PlanCounts): boolean {
  if (terms?.as !== 'import' || upsert !== undefined || create === 0) return false
  return terms.match.mode === 'upsert' && terms.match.names.length > 0 && terms.match.names[0] !== 'id'
}

/**
 * Reads all records, and finds those of the job that exist twice; undefined for a job that is not an upsert. The result is
 * kept; when nothing existed twice, the records are not read again until the job is sent again.
 */
async function recheck(paths: JobPaths, parts: RecheckParts): Promise<Recheck | undefined> {
  const plan = openJobPlan(paths)
  try {
    if (!isRechecked(plan.head, plan.end)) return undefined
    const kept = readKept(paths)
    const { size } = statSync(paths.journal)
    // A later run may have created more since.
    const isCurrent = kept?.journal === size
    if (isCurrent && kept?.twins?.length === 0) return { duplicates: [] }
    if (parts.terms.isRecheckLeftOut) {
      const isStillSo = isCurrent || (kept?.twins?.length ?? 0) > 0
      return keep(paths, isStillSo && kept ? kept : {})
    }
    return keep(paths, { twins: await findDuplicates(paths, plan, parts), journal: size })
  } finally {
    plan.close()
  }
}

/** The last result; undefined before the first. */
export function keptRecheck(paths: JobPaths): Recheck | undefined {
  const kept = readKept(paths)
  return kept && { duplicates: kept.twins }
}

interface KeptRecheck {
  readonly twins?: readonly DuplicateRow[]
  /** The size of the journal at that time, in bytes; undefined in files of earlier versions. */
  readonly journal?: number
}

function readKept(paths: JobPaths): KeptRecheck | undefined {
  const file = fileOf(paths)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KeptRecheck) : undefined
}

async function keep(paths: JobPaths, kept: KeptRecheck): Promise<Recheck> {
  await writePrivateFile(fileOf(paths), JSON.stringify(kept))
  return { duplicates: kept.twins }
}

function fileOf({ folder }: JobPaths): string {
  return join(folder, 'recheck.json')
}

async function findDuplicates(
  paths: JobPaths,
  plan: PlanFile,
  { list, valuesOf }: RecheckParts,
): Promise<readonly DuplicateRow[]> {
  const names = plan.head.terms?.match.names ?? []
  const scratch = openScratch(paths.folder, 'recheck')
  try {
    putMade(scratch, paths, plan)
    const see = scratch.database.prepare('UPDATE made SET ids = ids || ? || char(10) WHERE key = ?')
    const shown = new MatchShown(names)
    for await (const { items } of list()) {
      for (const record of items) {
        const keys = keysOfRecord(record, names, valuesOf)
        shown.see(record, keys)
        for (const key of keys) see.run(JSON.stringify(listedId(record)), key)
      }
    }
    const { made, found } = countMade(scratch)
    shown.judge(made > 0)
    if (made > 0 && found === 0) throw noneListed(made)
    return duplicatesIn(scratch)
  } finally {
    scratch.close()
  }
}

/** Puts the created records into a table, by match key; on disk, because there may be millions. */
function putMade(scratch: Scratch, paths: JobPaths, plan: PlanFile): void {
  const { database } = scratch
  const names = plan.head.terms?.match.names ?? []
  database.exec("CREATE TABLE made (key TEXT, line INTEGER, id TEXT, ids TEXT DEFAULT '')")
  const put = database.prepare('INSERT INTO made (key, line, id) VALUES (?, ?, ?)')
  const results = readResults(paths, plan.count, scratch)
  for (const batch of plan.operations()) {
    for (const { op, head, body } of batch) {
      if (head.do !== 'create' || results.progress.endOf(op) !== 'done') continue
      const { id, existed } = results.of(op)
      const key = matchKey(parseExactJson(body?.toString('utf8') ?? '{}') as JsonObject, names)
      if (key !== undefined && id !== null && !existed) put.run(key, head.line ?? null, id)
    }
  }
  database.exec('CREATE INDEX made_by_key ON made (key)')
}

function countMade({ database }: Scratch): { made: number; found: number } {
  const counts = database.prepare("SELECT count(*) AS made, count(nullif(ids, '')) AS found FROM made").get()
  return { made: Number(counts?.made), found: Number(counts?.found) }
}

function noneListed(made: number): CrmError {
  return new CrmError('bad_answer', `the list shows none of the ${made} records that the job created`, {
    hint: 'crm doctor shows how the server lists records',
  })
}

/** As recheck; if the list cannot be read, the error with which the job ends: its rows are sent. */
export async function tryRecheck(
  paths: JobPaths,
  parts: RecheckParts & Pick<PlanHead, 'noun'>,
): Promise<{ readonly found: Recheck | undefined; readonly error?: CrmError }> {
  try {
    return { found: await recheck(paths, parts) }
  } catch (error) {
    if (!isListUnreadable(error)) throw error
    const hint = `the rows are sent: crm jobs show ${paths.id}; to look for duplicates: crm ${parts.noun} list`
    const message = `duplicates cannot be looked for: ${error.message}`
    return {
      found: { duplicates: undefined },
      error: new CrmError(error.code, message, { hint, job: paths.id, cause: error }),
    }
  }
}

function duplicatesIn({ database }: Scratch): readonly DuplicateRow[] {
  const some = database.prepare(
    'SELECT line, id, ids FROM made WHERE instr(substr(ids, instr(ids, char(10)) + 1), char(10))',
  )
  const duplicates = some.all().map(({ line, id, ids }) => ({
    line: line === null ? null : Number(line),
    id: String(id),
    // A list that grows while it is read may have a record on two pages.
    ids: [...new Set(String(ids).trimEnd().split('\n'))].map((text) => String(JSON.parse(text))),
  }))
  return duplicates.filter(({ ids }) => ids.length > 1)
}
