import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Page } from '../../api/operations.ts'
import type { Act, Context } from '../../context.ts'
import { changedMembers } from '../../core/changes.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { isJsonObject, type JsonObject, memberOf } from '../../core/json.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import {
  type CrmRecord,
  type ImportableResource,
  isReadOnly,
  type ListedResource,
  RESOURCES,
  type RecordResource,
} from '../../core/resources/registry.ts'
import { addRunFlags } from '../bulk/bulk-flags.ts'
import { showOrSendMade } from '../bulk/import-rows.ts'
import type { PlanFlags } from '../bulk/plan.ts'
import { examples } from '../command-tree.ts'
import { findOne } from '../find.ts'
import { addScopedFlags } from '../flags.ts'
import { momentMs, parseMoment } from '../time-flags.ts'

type Restorable = ImportableResource & ListedResource

interface Options extends PlanFlags {
  readonly at: string
}

export function addRestore(parent: CommandUnknownOpts, act: Act, resource: Restorable): void {
  const { plural, singular, idPrefix } = RESOURCES[resource]
  const restore = parent
    .command('restore <id>')
    .description(
      `give a ${singular} the values that it had at a time, where the server keeps its history; a job, which can be undone`,
    )
    .requiredOption('--at <time>', 'a time such as 2026-11-20T09:00:00Z, or 2h: so long ago', parseMoment)
    .addHelpText(
      'after',
      examples(
        `crm ${plural} restore ${idPrefix}0abc --at 2h --dry-run`,
        `crm ${plural} restore ${idPrefix}0abc --at 2026-11-20T09:00:00Z`,
      ),
    )
    .action(act((ctx, id: string, options: Options) => restoreRecord(ctx, { resource, id }, options)))
  addRunFlags(restore)
  addScopedFlags(restore, ['yes', 'dryRun', 'exitCode', 'progress'])
}

async function restoreRecord(
  ctx: Context,
  { resource, id }: { readonly resource: Restorable; readonly id: string },
  { at, ...flags }: Options,
): Promise<ExitCode> {
  const { plural } = RESOURCES[resource]
  const api = await ctx.api()
  if (!api.history.offers()) {
    throw new CrmError('not_supported', `this server keeps no history of ${plural}: earlier values are not known`, {
      hint: `what jobs of this machine changed: crm ${plural} history ${id}; crm jobs undo JOB reverts one`,
    })
  }
  const atMs = momentMs(at, ctx.now())
  // Before its history, so that a change meanwhile is refused by the version.
  const record = await findOne(ctx, resource, id)
  const isUnchanged = recordTimeMs(record.updated_at) <= atMs
  const changes = api.history.list({ record: { resource, id } })
  const then = isUnchanged ? {} : await valuesAt(changes, { atMs, resource, id })
  const own = Object.entries(then).filter(([name]) => !isReadOnly(name))
  const changed = Object.keys(changedMembers(record, Object.fromEntries(own)))
  const patch = Object.fromEntries(own.filter(([name]) => changed.includes(name)))
  const made = await (await ctx.jobs()).plan('restore', { noun: plural, id, record, patch })
  return showOrSendMade(ctx, made, id, flags)
}

interface Asked {
  readonly atMs: number
  readonly resource: RecordResource
  readonly id: string
}

/**
 * The values at a time of the members that were changed since, null for none, from the history of the record, the newest change
 * first. CrmError `not_supported` if the history does not reach that time, `not_found` if the record did not exist.
 */
export async function valuesAt(pages: AsyncIterable<Page>, asked: Asked): Promise<JsonObject> {
  const { atMs, resource, id } = asked
  const values: JsonObject = {}
  let first: CrmRecord | undefined
  for await (const { items } of pages) {
    for (const change of items) {
      if (Date.parse(String(change.at)) <= atMs) return values
      first = change
      if (change.action === 'created') {
        const when = `${resource} ${id} did not exist then: it was created at ${String(change.at)}`
        throw new CrmError('not_found', when, {
          hint: `name a later time; crm ${RESOURCES[resource].plural} history ${id}`,
        })
      }
      takeBack(values, change, asked)
    }
  }
  const previous = first?.previous_at
  // Without a change before it the record is as the server had it when its history began.
  if (first !== undefined && typeof previous === 'string' && Date.parse(previous) <= atMs) return values
  throw unreached(asked, first)
}

function takeBack(values: JsonObject, change: CrmRecord, asked: Asked): void {
  const { fields, old } = change
  if (!Array.isArray(fields) || !isJsonObject(old)) throw unreached(asked, change)
  for (const name of fields) if (typeof name === 'string') values[name] = memberOf(old, name)
}

function unreached({ resource, id, atMs }: Asked, first: CrmRecord | undefined): CrmError {
  const kept = first ? `the oldest change that it keeps is of ${String(first.at)}` : 'it keeps no change of it'
  return new CrmError(
    'not_supported',
    `the history of the server does not reach ${new Date(atMs).toISOString()} for ${resource} ${id}: ${kept}`,
    { hint: `crm ${RESOURCES[resource].plural} history ${id} shows what it keeps` },
  )
}
