import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import { isListed, resourceOf } from '../../core/resources/registry.ts'
import type { Entry } from '../journal/entry.ts'
import type { Progress } from '../journal/progress.ts'
import type { PlanFile } from '../plan/plan-file.ts'
import type { JobServices, ServerTerms } from './services.ts'

/** Someone may have deleted a few of the last records, but hardly all of them. */
const MOST_RECENT = 20

/** Statuses of a deletion; 0 is a result from the list. */
const NO_RECORD: readonly number[] = [0, 204, 404, 410]

/** The records that a job created or changed last: the account of the job has them. */
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
 * Many accounts share one URL, and the API key selects the account. A job resumed with another key continues only if its
 * records exist: CrmError `conflict` if none does, because the rest of its rows would be created in another account.
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
    `the API key differs from the one that ${job} was sent with, and none of the last records that it created exists`,
    {
      hint: `use a key of the account that it was started with, or cancel it: crm jobs cancel ${job}`,
      job,
    },
  )
}
