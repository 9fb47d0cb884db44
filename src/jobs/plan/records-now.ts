import type { KeyReader } from '../../api/keyed-reads.ts'
import { RATE_SHARE } from '../../core/rate-share.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import type { StoredResults } from '../history/job-results.ts'
import type { RenewedIds } from '../history/merges.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobDraft } from '../store/job-folder.ts'
import { type ChosenOperations, chosenIn, idsOf } from './chosen-operations.ts'
import { byId, Existing } from './existing.ts'
import { keyReaderFor } from './key-requests.ts'
import type { PlanningContext } from './make-job.ts'
import { dealsOf } from './notes-of-deals.ts'

/** A request that was in progress when the job ended may still arrive; until then the records do not show its outcome. */
async function awaitQuiet({ nowMs, sleep, note }: PlanningContext, { progress }: StoredResults): Promise<void> {
  const { counts, unanswered, lastMs = 0, lastOpen } = progress
  if (counts.doubt + unanswered === 0) return
  const waitMs = lastMs + (lastOpen?.life ?? 0) - nowMs()
  if (waitMs <= 0) return
  note(`Earlier requests may still be in progress; rows in doubt are checked in ${Math.ceil(waitMs / 1000)} s.`)
  await sleep(waitMs)
}

interface NowParts {
  readonly plan: JobFile
  readonly results: StoredResults
  readonly draft: JobDraft
  /** The ids that earlier undos left of its records. */
  readonly idNow: RenewedIds
  /** Undefined: all. */
  readonly chosen: ChosenOperations | undefined
}

/** Undefined if nothing can be reverted. */
export async function readNow(context: PlanningContext, parts: NowParts): Promise<Existing | undefined> {
  const { head, end } = parts.plan
  const resource = resourceOf(head.noun)
  const canDelete = end.create + end.delete > 0 && context.offers(resource, 'delete')
  if (!canDelete && !context.offers(resource, 'update') && head.updates === undefined) return undefined
  if (end.update + end.delete > 0) await awaitQuiet(context, parts.results)
  const pages = await pagesNow(context, parts)
  return Existing.read({ folder: parts.draft.folder, pages, keyOf: byId, onRead: context.onRead })
}

/** By their ids where the server can be asked so, else the whole list. */
async function pagesNow(context: PlanningContext, parts: NowParts): Promise<AsyncIterable<Page>> {
  const { noun } = parts.plan.head
  const resource = resourceOf(noun)
  if (resource === 'note') return context.listParts(resource, dealsOf(parts.plan))
  const reader = await keyReaderFor(context, noun, ['id'])
  return reader ? pagesById(reader, parts, context.signal) : context.list(noun)
}

async function* pagesById(reader: KeyReader, parts: NowParts, signal: AbortSignal): AsyncGenerator<Page> {
  let ids: string[] = []
  const page = async () => ({ items: await reader.read(ids, { signal, rateShare: RATE_SHARE }) })
  for (const operation of chosenIn(parts.plan, parts.chosen)) {
    // A record that an undo created again has another id than the plan names.
    const [id] = idsOf(operation, parts)
    if (id !== undefined) ids.push(id)
    if (ids.length < reader.size) continue
    yield await page()
    ids = []
  }
  if (ids.length > 0) yield await page()
}

interface Page {
  readonly items: readonly CrmRecord[]
}
