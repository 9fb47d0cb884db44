import { isListUnreadable } from '../../api/pages/page-errors.ts'
import type { ValuesOf } from '../../connector/record-map.ts'
import { CrmError } from '../../core/errors.ts'
import { type JsonObject, parseExactJson } from '../../core/json.ts'
import { listedId } from '../../core/record-ids.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { resultsOf } from '../history/job-results.ts'
import { MatchShown } from '../plan/existing.ts'
import { keysOfRecord, matchKey } from '../plan/match-keys.ts'
import type { PlanCounts, PlanHead } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { openJob, withJob } from '../store/open-job.ts'
import type { RunTerms } from './services.ts'

/** A row of an upsert whose contact exists more than once: another writer made it at the same time. */
export interface DuplicateRow {
  readonly line: number | null
  /** The record that the job made. */
  readonly id: string
  /** All records with its key. */
  readonly ids: readonly string[]
}

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
  const plan = openJob(paths)
  try {
    if (!isRechecked(plan.head, plan.end)) return undefined
    const kept = plan.note('recheck') as KeptRecheck | undefined
    const [[runs] = []] = plan.rows('SELECT max(place) FROM event')
    // A later run may have created more since.
    const isCurrent = kept?.runs === runs
    if (isCurrent && kept?.twins?.length === 0) return { duplicates: [] }
    if (parts.terms.isRecheckLeftOut) {
      const isStillSo = isCurrent || (kept?.twins?.length ?? 0) > 0
      return keep(plan, isStillSo && kept ? kept : {})
    }
    return keep(plan, { twins: await findDuplicates(plan, parts), runs: Number(runs) })
  } finally {
    plan.close()
  }
}

/** The last result; undefined before the first. */
export function keptRecheck(paths: JobPaths): Recheck | undefined {
  const kept = withJob(paths, (job) => job.note('recheck')) as KeptRecheck | undefined
  return kept && { duplicates: kept.twins }
}

interface KeptRecheck {
  readonly twins?: readonly DuplicateRow[]
  /** The last event of the job at that time. */
  readonly runs?: number
}

function keep(job: JobFile, kept: KeptRecheck): Recheck {
  job.setNote('recheck', kept)
  return { duplicates: kept.twins }
}

async function findDuplicates(job: JobFile, { list, valuesOf }: RecheckParts): Promise<readonly DuplicateRow[]> {
  const names = job.head.terms?.match.names ?? []
  putMade(job, names)
  const shown = new MatchShown(names)
  for await (const { items } of list()) {
    for (const record of items) {
      const keys = keysOfRecord(record, names, valuesOf)
      shown.see(record, keys)
      for (const key of keys)
        job.write('UPDATE made SET ids = ids || ? || char(10) WHERE key = ?', JSON.stringify(listedId(record)), key)
    }
  }
  const { made, found } = countMade(job)
  shown.judge(made > 0)
  if (made > 0 && found === 0) throw noneListed(made)
  return duplicatesIn(job)
}

/** Puts the created records into a table, by match key; a temporary one, because there may be millions. */
function putMade(job: JobFile, names: readonly string[]): void {
  job.execute("CREATE TEMP TABLE made (key TEXT, line INTEGER, id TEXT, ids TEXT DEFAULT '')")
  const results = resultsOf(job)
  for (const { op, head, body } of job.all()) {
    if (head.do !== 'create' || results.progress.endOf(op) !== 'done') continue
    const { id, existed } = results.of(op)
    const key = matchKey(parseExactJson(body?.toString('utf8') ?? '{}') as JsonObject, names)
    if (key !== undefined && id !== null && !existed)
      job.write('INSERT INTO made (key, line, id) VALUES (?, ?, ?)', key, head.line ?? null, id)
  }
  job.execute('CREATE INDEX made_by_key ON made (key)')
}

function countMade(job: JobFile): { made: number; found: number } {
  const [[made, found] = []] = job.rows("SELECT count(*), count(nullif(ids, '')) FROM made")
  return { made: Number(made), found: Number(found) }
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

function duplicatesIn(job: JobFile): readonly DuplicateRow[] {
  const some = job.rows('SELECT line, id, ids FROM made WHERE instr(substr(ids, instr(ids, char(10)) + 1), char(10))')
  const duplicates = some.map(([line, id, ids]) => ({
    line: line === null ? null : Number(line),
    id: String(id),
    // A list that grows while it is read may have a record on two pages.
    ids: [...new Set(String(ids).trimEnd().split('\n'))].map((text) => String(JSON.parse(text))),
  }))
  return duplicates.filter(({ ids }) => ids.length > 1)
}
