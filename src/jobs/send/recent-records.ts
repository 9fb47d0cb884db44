import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/exact-json.ts'
import { isListed, resourceOf } from '../../core/resources/registry.ts'
import type { Entry } from '../journal/entry.ts'
import type { Progress } from '../journal/progress.ts'
import type { PlanFile } from '../plan/plan-file.ts'
import type { JobServices, ServerTerms } from './services.ts'

/** Somebody may have deleted one or the other; all of them is another thing. */
const MOST_RECENT = 20

/** Statuses of a deletion; 0 is a result that was found in the list. */
const NO_RECORD: readonly number[] = [0, 204, 404, 410]

/** The records that a job made or changed last: they are there wherever the job belongs. */
export class RecentRecords {
  readonly #ids: string[] = []

  take(entry: Entry): void {
    if (entry.t !== 'done') return
    for (const [, status, id] of entry.r) if (id !== null && !NO_RECORD.includes(status)) this.#ids.push(id)
    if (this.#ids.length > 2 * MOST_RECENT) this.#ids.splice(0, this.#ids.length - MOST_RECENT)
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#ids.slice(-MOST_RECENT))
  }
}

/**
 * Many accounts share one address, and the API key says which. A job that is resumed with another key than before goes on
 * only where its records are: CrmError `conflict` when none is, for the rest of its rows would be made in a stranger's CRM.
 */
export async function refuseOtherKeyholder(
  recentRecords: RecentRecords,
  { plan, progress }: { readonly plan: PlanFile; readonly progress: Progress },
  services: JobServices,
  { isScopedByAccount }: ServerTerms,
): Promise<void> {
  const { job, noun } = plan.head
  const { ids } = recentRecords
  const isSameKey = progress.lastOpen === undefined || progress.lastOpen.key === services.keyMark
  if (isSameKey || isScopedByAccount || !isListed(resourceOf(noun)) || ids.size === 0) return
  for await (const { items } of services.list(noun)) {
    if (items.some(({ id }) => ids.has(idText(id) ?? ''))) return
  }
  throw new CrmError(
    'conflict',
    `the API key is another one than ${job} was sent with, and none of the records that it made last is there`,
    {
      hint: `use a key of the account that it was begun with, or leave it: crm jobs cancel ${job}`,
      job,
    },
  )
}
