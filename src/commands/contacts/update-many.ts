import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { type ImportFlags, importRows, takeMade } from '../bulk/import-rows.ts'
import { type FieldsOptions, readFields } from '../fields-input.ts'

export interface ManyFlags extends ImportFlags {
  /** A file of contacts, or `-`. */
  readonly from?: string
}

/** The contacts of a file, or those that an expression chooses. */
export async function updateMany(ctx: Context, flags: ManyFlags & FieldsOptions): Promise<ExitCode> {
  refuseBoth(ctx, flags)
  if (flags.from !== undefined) {
    if (flags.set || flags.data !== undefined) {
      throw new CrmError('usage', '--from has what each contact becomes, so --set and --data say nothing more', {
        hint: '--compute field=EXPR gives every row a field',
      })
    }
    return importRows(ctx, { noun: 'contacts', kind: 'update' }, flags.from, { ...flags, ...updateMode(flags) })
  }
  const patch = await readFields(ctx, flags)
  return selectMany(ctx, 'update', patch, flags)
}

export async function deleteMany(ctx: Context, flags: ManyFlags): Promise<ExitCode> {
  refuseBoth(ctx, flags)
  if (flags.from !== undefined) {
    return importRows(ctx, { noun: 'contacts', kind: 'delete' }, flags.from, { ...flags, ...updateMode(flags) })
  }
  return selectMany(ctx, 'delete', undefined, flags)
}

async function selectMany(
  ctx: Context,
  kind: 'update' | 'delete',
  patch: Awaited<ReturnType<typeof readFields>> | undefined,
  flags: ManyFlags,
): Promise<ExitCode> {
  const [jobs, { keep }] = await Promise.all([ctx.jobs(), ctx.expr()])
  if (!keep) {
    throw new CrmError('usage', `which contacts to ${kind} is not said`, {
      hint: `name an id, a file with --from, or an expression with --where '.company == null'`,
    })
  }
  return takeMade(ctx, await jobs.makeSelection({ kind, keep, patch }), '--where', flags)
}

/** One contact by its id, or many by what they are. */
export function refuseIdBeside(ctx: Context, id: string | undefined, { from }: ManyFlags): void {
  if (id === undefined || (from === undefined && ctx.flags.where === undefined)) return
  throw new CrmError('usage', `${id} names one contact, and ${from === undefined ? '--where' : '--from'} many`, {
    hint: 'use one of them',
  })
}

function refuseBoth(ctx: Context, { from }: ManyFlags): void {
  if (from === undefined || ctx.flags.where === undefined) return
  throw new CrmError('usage', '--from and --where both say which contacts', { hint: 'use one of them' })
}

function updateMode({ match }: ManyFlags): Pick<ManyFlags, 'mode'> {
  return match === undefined ? {} : { mode: 'update' }
}
