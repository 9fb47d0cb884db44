import type { JsonObject } from '../core/json.ts'
import {
  type ImportCall,
  type ImportedRows,
  type ImportNoun,
  importRows,
  type JobParts,
  openLibraryJobs,
  resumeJob,
  type SendCall,
} from './import-rows.ts'
import { guardedItems } from './safe-errors.ts'

/** A row that was not done. */
export interface RowFailure {
  /** Of the row in the input, from 1. */
  readonly line: number | null
  /** Of the record, if the row has one. */
  readonly id: string | null
  readonly state: 'failed' | 'in_doubt'
  readonly code: string
  readonly field: string | null
  readonly reason: string
}

/** Bulk work, kept on disk: `crm jobs` shows and resumes the same jobs. */
export interface JobMethods {
  importRows(
    noun: ImportNoun,
    rows: Iterable<JsonObject> | AsyncIterable<JsonObject>,
    options: ImportCall,
  ): Promise<ImportedRows>
  /** By id, or by a suffix of it. */
  resume(job: string, options?: SendCall): Promise<ImportedRows>
  /** In the order of the rows. */
  failures(job: string): AsyncIterable<RowFailure>
}

export function jobMethods(parts: JobParts): JobMethods {
  return {
    importRows: (...given) => importRows(parts, ...given),
    resume: (...given) => resumeJob(parts, ...given),
    failures: (job) => guardedItems(() => failuresOf(parts, job)),
  }
}

async function* failuresOf(parts: JobParts, job: string): AsyncGenerator<RowFailure> {
  const jobs = await openLibraryJobs(parts)
  for await (const { items } of jobs.failures(jobs.find(job))) {
    for (const { line, id, state, code, field, reason } of items) {
      yield { line, id, state, code, field, reason } as RowFailure
    }
  }
}
