import { hash, randomUUID } from 'node:crypto'
import { pathOfRecord } from '../../api/transport/call.ts'
import type { JsonObject } from '../../core/json.ts'
import { type CrmRecord, type ImportableResource, type PluralOf, resourceOf } from '../../core/resources/registry.ts'
import type { MadeImport } from './make-import.ts'
import { makeJob, type PlanningContext } from './make-job.ts'

export interface RestoreRequest {
  readonly noun: Exclude<PluralOf<ImportableResource>, 'notes'>
  readonly id: string
  /** The present record. */
  readonly record: CrmRecord
  /** Its earlier values; null for a member that it did not have. */
  readonly patch: JsonObject
}

/** A job of one change, which is sent only while the record has the version that was planned with. */
export async function makeRestore(context: PlanningContext, request: RestoreRequest): Promise<MadeImport> {
  const { noun, id, record, patch: body } = request
  context.require(resourceOf(noun), 'update')
  const run = hash('sha256', JSON.stringify([context.account, id, randomUUID()]), 'base64url').slice(0, 22)
  const identity = { kind: 'update', noun, run, of: undefined } as const
  const job = await makeJob(context, identity, async (builder) => {
    if (Object.keys(body).length === 0) builder.leaveOut('unchanged')
    else builder.add({ do: 'update', path: pathOfRecord(resourceOf(noun), id), id, before: record, body })
  })
  return { type: 'made', job, lines: [], leftLines: [] }
}
