import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { JsonObject } from '../../core/json.ts'
import type { MemberUse } from '../../core/members-read.ts'
import { type CrmRecord, resourceOf, whereHint } from '../../core/resources/registry.ts'
import type { SelectionRequest } from '../../jobs/plan/make-selection.ts'
import type { FieldsOptions } from '../fields-input.ts'
import type { WithFlags } from '../global-flags.ts'
import { createMemberCheck } from '../member-check.ts'
import { givenFields } from '../records/given-fields.ts'
import { createNumberCheck } from '../records/write-checks.ts'
import { rejectCreateMode } from './bulk-flags.ts'
import { type ImportFlags, importRows, showOrSendMade } from './import-rows.ts'
import { partOf } from './part-flags.ts'
import { withPlanningProgress } from './planning-progress.ts'

type Selected = SelectionRequest['noun']

/** The records of a file, or those that an expression chooses. */
export async function updateMany(ctx: Context, noun: Selected, flags: ManyFlags & FieldsOptions): Promise<ExitCode> {
  refuseBoth(ctx, flags)
  rejectCreateMode(flags, { noun, kind: 'update' })
  if (flags.from !== undefined) {
    if (flags.set || flags.data !== undefined) {
      throw new CrmError(
        'usage',
        `--from contains the values of each ${resourceOf(noun)}, so --set and --data do not apply`,
        {
          hint: '--compute field=EXPR gives every row a field',
        },
      )
    }
    return importRows(ctx, { noun, kind: 'update' }, flags.from, { ...flags, ...updateMode(flags) })
  }
  return selectMany(ctx, { noun, kind: 'update' }, flags)
}

export async function deleteMany(ctx: Context, noun: Selected, flags: ManyFlags): Promise<ExitCode> {
  refuseBoth(ctx, flags)
  rejectCreateMode(flags, { noun, kind: 'delete' })
  if (flags.from !== undefined) {
    return importRows(ctx, { noun, kind: 'delete' }, flags.from, { ...flags, ...updateMode(flags) })
  }
  return selectMany(ctx, { noun, kind: 'delete' }, flags)
}

async function selectMany(
  ctx: Context,
  { noun, kind }: Pick<SelectionRequest, 'noun' | 'kind'>,
  flags: ManyFlags & FieldsOptions,
): Promise<ExitCode> {
  const [jobs, { where, uses }] = await Promise.all([ctx.jobs(), ctx.expr()])
  if (!where) {
    throw new CrmError('usage', `no ${noun} to ${kind} are selected`, {
      hint: `name an id, a file with --from, or an expression with --where '${whereHint(resourceOf(noun))}'`,
    })
  }
  const resource = resourceOf(noun)
  const given = kind === 'delete' ? undefined : await givenFields(ctx, flags, { resource, of: 'many' })
  const patch = given?.fields
  const stages = noun === 'deals' && patch?.stage !== undefined ? await jobs.stages() : undefined
  const used = [...uses('none'), ...(flags.newField ? [] : setMembers(patch))]
  const members = createMemberCheck(ctx, resource, used)
  const numbers = createNumberCheck(patch && flags.set)
  const check = {
    see: (records: readonly CrmRecord[]) => {
      members.see(records)
      numbers.see(records)
    },
    judge: async () => {
      await members.judge()
      numbers.judge()
    },
  }
  const request = { noun, kind, where, check, patch, of: given?.of, stages, part: partOf(ctx, flags) }
  const made = await withPlanningProgress(ctx, (hooks) => jobs.plan('selection', request, hooks))
  const leftOut = where.leftOut()
  if (leftOut !== undefined) ctx.note(leftOut)
  return showOrSendMade(ctx, made, '--where', flags)
}

function setMembers(patch: JsonObject | undefined): readonly MemberUse[] {
  const ifMeant = '--new-field writes one that no record has'
  return Object.keys(patch ?? {}).map((name) => ({ flag: '--set', path: [name], ifMeant }))
}

/** Refuses an id together with flags that select many records; `more` are further flags that do not go with an id. */
export function refuseIdBeside(
  ctx: WithFlags<'where' | 'limit'>,
  id: string | undefined,
  flags: ManyFlags,
  more: readonly (keyof ManyFlags)[] = [],
): void {
  if (id === undefined) return
  const { from } = flags
  if (from === undefined && ctx.flags.where === undefined) {
    refuseBesideIds(flags, more)
    if (ctx.flags.limit !== undefined) throw besideId('--limit')
    return
  }
  throw new CrmError('usage', `${id} names one record, and ${from === undefined ? '--where' : '--from'} many`, {
    hint: 'use one of them',
  })
}

/** As refuseIdBeside for an update, which also does not accept `-` as an id. */
export function refuseUpdateBeside(ctx: Context, id: string | undefined, flags: ManyFlags): void {
  refuseIdBeside(ctx, id, flags, ['expect'])
  if (id !== '-') return
  throw new CrmError('usage', 'an update takes one id, and reads none from stdin', {
    hint: '--from - reads rows with a column id from stdin',
  })
}

function refuseBoth(ctx: WithFlags<'where'>, flags: ManyFlags): void {
  const { from, ifMatch, idempotencyKey } = flags
  if (from !== undefined && ctx.flags.where !== undefined) {
    throw new CrmError('usage', '--from and --where both select the records', { hint: 'use one of them' })
  }
  if (ctx.flags.where !== undefined) refuseWithoutFile(flags, '--where')
  if (ifMatch === undefined && idempotencyKey === undefined) return
  throw new CrmError('usage', `--${ifMatch === undefined ? 'idempotency-key' : 'if-match'} applies to one record`, {
    hint: 'name its id; a job has its own keys, and crm apply refuses a --plan whose records have changed',
  })
}

function updateMode({ match }: ManyFlags): Pick<ManyFlags, 'mode'> {
  return match === undefined ? {} : { mode: 'update' }
}

export interface ManyFlags extends ImportFlags {
  /** A file of records, or `-`. */
  readonly from?: string
  readonly ifMatch?: string
  readonly idempotencyKey?: string
}

type Flag = keyof ManyFlags

/** How the rows of a file are read and matched, and which run they belong to. */
const OF_FILES: readonly Flag[] = [
  'createMissing',
  ...([
    'map',
    'null',
    'clearEmpty',
    'compute',
    'format',
    'sheet',
    'encoding',
    'delimiter',
    'quote',
    'fromCsvSafe',
  ] as const),
  ...(['trim', 'decimal', 'dateFormat'] as const),
  ...(['match', 'mode', 'runId', 'again', 'rejects', 'maxRejects', 'duplicates'] as const),
]

const OF_JOBS: readonly Flag[] = [
  'plan',
  'sample',
  'snapshotBefore',
  'concurrency',
  'rateShare',
  'maxErrors',
  'maxOutage',
]

/** An id makes no job: flags of jobs would be ignored, and a --plan would be sent. `more`: further flags of this command. */
function refuseBesideIds(flags: ManyFlags, more: readonly Flag[]): void {
  const flag = firstGiven(flags, [...OF_JOBS, ...OF_FILES, ...more])
  if (flag !== undefined) throw besideId(flag)
}

function besideId(flag: string): CrmError {
  return new CrmError('usage', `${flag} does not go with an id; nothing was sent`, {
    hint:
      flag === '--plan'
        ? '--dry-run shows what an id would do; a plan is made of --from FILE or --where EXPR'
        : 'leave it out, or name the records with --from FILE or --where EXPR',
  })
}

/** `instead` selects the records, so no file is read. */
export function refuseWithoutFile(flags: ManyFlags, instead: string): void {
  const flag = firstGiven(flags, OF_FILES)
  if (flag === undefined) return
  throw new CrmError('usage', `${flag} applies to the rows of a file, and ${instead} reads none`, {
    hint: 'leave it out, or name a file with --from FILE',
  })
}

function firstGiven(flags: ManyFlags, names: readonly Flag[]): string | undefined {
  const given = names.find((name) => flags[name] !== undefined)
  return given && `--${given.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`
}
