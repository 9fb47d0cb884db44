import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import type { StoredResults } from '../history/job-results.ts'
import type { PlanningContext } from './make-job.ts'
import type { PlanFile } from './plan-file.ts'
import { parentIdIn } from './plan-format.ts'
import { BeforeImages } from './plan-writer.ts'

/** The deals that a job created and that have notes, which a deletion would take with it. A server without notes has none. */
export async function dealsWithNotes(
  context: PlanningContext,
  plan: PlanFile,
  results: StoredResults,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  if (plan.head.noun !== 'deals') return ids
  for (const { op, head } of plan.all()) {
    const id = head.do === 'create' && results.progress.endOf(op) === 'done' ? results.of(op).id : null
    if (id !== null) ids.add(id)
  }
  const found = new Set<string>()
  try {
    for await (const { items } of context.listParts('note', ids)) {
      for (const note of items) found.add(idText(note.deal_id) ?? '')
    }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'not_supported') throw error
  }
  return found
}

interface NoteJob {
  readonly plan: PlanFile
  /** The file of the records as they were before the job. */
  readonly before: string
}

/** The deals whose notes a job created or deleted. */
export async function dealsOf({ plan, before }: NoteJob): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  const images = new BeforeImages(before)
  try {
    for (const { op, head } of plan.all()) {
      const image = head.do === 'delete' ? await images.of(op) : undefined
      const id = image ? idText(image.deal_id) : parentIdIn('note', head.path)
      if (id !== undefined) ids.add(id)
    }
    return ids
  } finally {
    await images.close()
  }
}
