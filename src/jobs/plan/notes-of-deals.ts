import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import type { StoredResults } from '../history/job-results.ts'
import type { JobFile } from '../store/job-file.ts'
import { type ChosenOperations, chosenIn } from './chosen-operations.ts'
import type { PlanningContext } from './make-job.ts'
import { parentIdIn } from './plan-format.ts'

/** The deals that a job created and that have notes, which a deletion would take with it. A server without notes has none. */
export async function dealsWithNotes(
  context: PlanningContext,
  plan: JobFile,
  results: StoredResults,
  chosen: ChosenOperations | undefined,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  if (plan.head.noun !== 'deals') return ids
  for (const { op, head } of chosenIn(plan, chosen)) {
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

/** The deals whose notes a job created or deleted. */
export function dealsOf(plan: JobFile): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { op, head } of plan.all()) {
    const image = head.do === 'delete' ? plan.before(op) : undefined
    const id = image ? idText(image.deal_id) : parentIdIn('note', head.path)
    if (id !== undefined) ids.add(id)
  }
  return ids
}
