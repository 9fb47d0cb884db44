import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { type CrmRecord, isListed, type ListedResource, RESOURCES } from '../../core/resources/registry.ts'
import { errorRecord } from '../../output/report.ts'
import { namesOf } from '../find-many.ts'
import { onePage, printList } from '../print.ts'
import { refuseOtherVersion } from './version-check.ts'

/** The resources that a command deletes by their ids. */
export type DeletableResource = ListedResource | 'note' | 'webhook'

/** The command that lists the ids; notes are those of one deal. */
export function listCommand(resource: DeletableResource): string {
  return `crm ${RESOURCES[resource].plural} list${resource === 'note' ? ' DEAL_ID' : ''}`
}

const NO_IDS = 'ids on stdin: nothing to delete'

export type DeletionOutcome = 'done' | 'failed' | 'in_doubt' | 'unsent'

interface Deletion {
  readonly id: string
  readonly outcome: DeletionOutcome
  readonly error?: CrmError
}

/**
 * Deletes one by one in the given order. A refusal is noted, and the rest continues; a single id fails with its own error.
 * Outcomes are printed at the end, so that a closed pipe does not end the run half way.
 */
export async function deleteByIds(
  ctx: Context,
  resource: DeletableResource,
  ids: readonly string[],
  ifMatch: string | undefined,
): Promise<ExitCode> {
  ctx.keepExitCode?.()
  const deletions: Deletion[] = []
  let end: CrmError | undefined
  for (const id of ids) {
    const deletion = end ? { id, outcome: 'unsent' as const } : await deleteOne(ctx, resource, id, ifMatch)
    deletions.push(deletion)
    const { error } = deletion
    if (!error) continue
    if (ids.length === 1 || !isAboutOneRecord(error)) end = error
    else if (error.code !== 'not_found') ctx.note(`Not deleted: ${id}: ${error.message}`)
  }
  await printDeletions(ctx, resource, deletions)
  if (end) throw end
  return failAs(ctx, resource, deletions)
}

async function deleteOne(
  ctx: Pick<Context, 'api' | 'gone' | 'note' | 'seen'>,
  resource: DeletableResource,
  id: string,
  ifMatch: string | undefined,
): Promise<Deletion> {
  const api = await ctx.api()
  try {
    if (ifMatch !== undefined) await refuseOtherVersion(ctx, resource, { id, ifMatch, action: 'delete' })
    const records = resource === 'note' ? api.notes() : api[RESOURCES[resource].plural]
    await records.delete(id, { ifMatch })
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return { id, outcome: error.details.isInDoubt ? 'in_doubt' : 'failed', error }
  }
  if (isListed(resource)) ctx.gone(resource, id)
  ctx.note(`Deleted ${resource} ${id}.`)
  return { id, outcome: 'done' }
}

function isAboutOneRecord({ code }: CrmError): boolean {
  return ['not_found', 'conflict', 'precondition_failed', 'rejected', 'in_doubt'].includes(code)
}

/** Tables print nothing, because notes are on stderr. `-o id` prints deleted ids only, for the next command. */
export async function printDeletions(
  ctx: Context,
  resource: DeletableResource,
  deletions: readonly Deletion[],
): Promise<undefined> {
  const { plural } = RESOURCES[resource]
  const { output } = ctx.flags
  const done = deletions.filter(({ outcome }) => outcome === 'done')
  if (done.length > 0) ctx.onServerChange?.(`${done.length} of ${deletions.length} ${plural} were deleted`)
  const shown = output === 'id' ? done : deletions
  const records = shown.map(({ id, outcome, error }): CrmRecord => {
    return { id, outcome, ...(error && { error: errorRecord(error) }) }
  })
  if (output !== 'table' && (output !== 'id' || records.length > 0)) {
    return printList(ctx, { pages: onePage(records), columns: ['id', 'outcome', 'error'], plural: NO_IDS })
  }
  if (deletions.length === 0) ctx.note(`No ${NO_IDS}.`)
}

function failAs(ctx: Pick<Context, 'note'>, resource: DeletableResource, deletions: readonly Deletion[]): ExitCode {
  const failed = deletions.filter(({ outcome }) => outcome !== 'done')
  if (failed.length === 0) return EXIT.ok
  const count = deletions.length
  const { plural } = RESOURCES[resource]
  const gone = failed.filter(({ error }) => error?.code === 'not_found').map(({ id }) => id)
  // After an earlier run that was interrupted, or for a misspelt id.
  if (gone.length > 0) ctx.note(`Not found: ${gone.length} of ${count}: ${namesOf(gone)}`)
  const doubts = failed.filter(({ outcome }) => outcome === 'in_doubt').map(({ id }) => id)
  const doubt = doubts.length === 0 ? '' : `; in doubt are ${namesOf(doubts)}`
  const message = `${failed.length} of ${count} ${plural} were not deleted: ${namesOf(failed.map(({ id }) => id))}${doubt}`
  throw new CrmError(gone.length === count ? 'not_found' : 'partial', message, { hint: listCommand(resource) })
}
