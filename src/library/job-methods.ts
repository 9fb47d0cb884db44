import type { JobMethods, RowFailure } from './client-types.ts'
import { importLibraryRows, type JobParts, openLibraryJobs, resumeJob } from './import-rows.ts'
import { guardedItems } from './safe-errors.ts'

export function jobMethods(parts: JobParts): JobMethods {
  return {
    importRows: (...given) => importLibraryRows(parts, ...given),
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
