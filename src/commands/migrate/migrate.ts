import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { counted, RESOURCES } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Migration, MigrationParts } from '../../migration/open-migration.ts'
import type { ResourcePlan } from '../../migration/plan-jobs.ts'
import type { MissingStage } from '../../migration/stages.ts'
import type { Verified } from '../../migration/verify.ts'
import { writeNoteLine } from '../../output/safe-text.ts'
import { addRunFlags, type RunFlags } from '../bulk/bulk-flags.ts'
import { addExpectFlag } from '../bulk/plan.ts'
import { withPlanningProgress } from '../bulk/planning-progress.ts'
import { commandLine, withFlag } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { confirmChange, confirmProtected, type ExpectFlags, expectedOf } from '../confirm.ts'
import { dryRunExit } from '../dry-run.ts'
import { collect } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList } from '../print.ts'
import { withEnds } from './ends.ts'
import { sendChained } from './send-chained.ts'
import { migrationColumns, notePlan, planRecord, resultColumns, resultRecord } from './show.ts'

interface Options extends RunFlags, ExpectFlags {
  readonly from: string
  readonly to: string
  readonly mapStage?: readonly string[]
}

export function addMigrate(program: CommandUnknownOpts, act: Act): void {
  const command = program
    .command('migrate')
    .summary('move contacts, deals and notes to another server')
    .description(
      'create the contacts, deals and notes of one server on another, each once, and compare them; the same command goes on after a stop',
    )
    .requiredOption('--from <profile>', 'the profile of the server that is read')
    .requiredOption('--to <profile>', 'the profile of the server that gets the records')
    .option(
      '--map-stage <old=new>',
      'the stage of the target for a stage of the source; PIPELINE/STAGE where a name is not enough (repeatable)',
      collect,
    )
    .addHelpText(
      'after',
      examples(
        'crm migrate --from old --to new --dry-run',
        "crm migrate --from old --to new --map-stage 'Closed won=Won' --yes",
      ),
    )
    .action(act(migrate))
  addExpectFlag(command)
  addRunFlags(command)
  addScopedFlags(command, ['yes', 'dryRun', 'exitCode', 'progress', 'fields'])
}

async function migrate(ctx: Context, options: Options): Promise<ExitCode> {
  const named = parseMappedStages(options.mapStage ?? [])
  const { withMigration } = await import('../../migration/open-migration.ts')
  let onRead: MigrationParts['onRead'] = () => {}
  const shown: Parts['shown'] = (work) =>
    withPlanningProgress(ctx, (hooks) => {
      const done = new Map<string, number>()
      onRead = (count, what) => {
        done.set(what, (done.get(what) ?? 0) + count)
        hooks.onStep({ what, unit: 'records', done: done.get(what) ?? 0, total: undefined })
      }
      return work()
    })
  return withEnds(ctx, options, ({ to, parts }) =>
    withMigration({ ...parts, stageNames: named, onRead: (...read) => onRead(...read) }, (migration) =>
      migrateRecords(ctx, { migration, to, shown, options }),
    ),
  )
}

interface Parts {
  readonly migration: Migration
  readonly to: Context
  readonly shown: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly options: Options
}

async function migrateRecords(ctx: Context, parts: Parts): Promise<ExitCode> {
  const { migration, to, shown, options } = parts
  for (const paths of await migration.unsettled()) {
    if (ctx.flags.isDryRun) ctx.note(`${paths.id} was stopped, and would be resumed first.`)
    else await sendChained(ctx, to, paths, { flags: options, isResumed: true })
  }
  await migration.settle()
  await shown(() => migration.read())
  for (const [type, reason] of migration.lacks) ctx.note(`Not migrated: ${RESOURCES[type].plural}; ${reason}.`)
  refuseStages(ctx, migration.missingStages())
  const plans = migration.plans()
  notePlan(ctx, plans)
  const count = plans.reduce((sum, { create }) => sum + create, 0)
  if (ctx.flags.isDryRun) {
    await printList(ctx, { pages: onePage(plans.map(planRecord)), columns: migrationColumns, plural: 'resources' })
    ctx.note(count === 0 ? 'Dry run: nothing would change.' : 'Dry run: nothing was sent.')
    return dryRunExit(ctx, count > 0)
  }
  if (count > 0) await confirmMigration(to, { plans, count, flags: options })
  ctx.keepExitCode?.()
  const problems = await sendAll(ctx, parts, plans)
  const verified = await shown(() => migration.verified())
  const rows = migration.plans().map((plan) =>
    resultRecord(
      plan,
      verified.find(({ type }) => type === plan.type),
    ),
  )
  await printList(ctx, { pages: onePage(rows), columns: resultColumns, plural: 'resources' })
  return verdict(ctx, { verified, problems })
}

/** Returns what went wrong with rows, in words. */
async function sendAll(
  ctx: Context,
  { migration, to, options }: Parts,
  plans: readonly ResourcePlan[],
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { type } of plans) {
    const job = await migration.begin(type)
    if (!job) continue
    const problem = await sendChained(ctx, to, job.paths, { flags: options, isResumed: false })
    if (problem !== undefined) problems.push(problem)
    await migration.settle()
  }
  return problems
}

interface Verdict {
  readonly verified: readonly Verified[]
  /** Of jobs with rows that failed or are in doubt. */
  readonly problems: readonly string[]
}

function verdict(ctx: Pick<Context, 'argv' | 'note'>, { verified, problems }: Verdict): ExitCode {
  for (const one of verified) noteOthers(ctx, one)
  const sum = (name: 'missing' | 'different') => verified.reduce((all, one) => all + one[name], 0)
  const [missing, different] = [sum('missing'), sum('different')]
  if (problems.length > 0 || missing > 0) {
    const parts = [...problems, ...(missing > 0 ? [`records missing on the target: ${missing}`] : [])]
    throw new CrmError('partial', parts.join('; '), { hint: `${commandLine(ctx.argv)} tries those again` })
  }
  if (different === 0) return EXIT.ok
  throw new CrmError('differences', `migrated records that differ from the source: ${different}`, {
    hint: 'they were changed on one of the servers, or the target stores other values than were sent',
  })
}

/** The first records that differ. */
function noteOthers(ctx: Pick<Context, 'note'>, { type, first }: Verified): void {
  for (const { id, to, members } of first) {
    const where = to === undefined ? '' : ` (${to})`
    ctx.note(
      members.length === 0
        ? `${type} ${id} is not on the target${where}`
        : `${type} ${id} differs from ${to} in ${members.join(', ')}`,
    )
  }
}

interface Confirmation {
  readonly plans: readonly ResourcePlan[]
  readonly count: number
  readonly flags: ExpectFlags
}

/** Returns only if the creates on the target are confirmed. */
async function confirmMigration(to: Context, { plans, count, flags }: Confirmation): Promise<void> {
  const parts = plans.filter(({ create }) => create > 0).map(({ create, type }) => counted(create, type))
  const toDo = `create ${parts.join(', ')}`
  const expect = expectedOf(to, flags, { count, toDo })
  if (expect !== undefined && expect !== count) {
    throw new CrmError('unconfirmed', `--expect ${expect}, but this would create ${count} records; nothing was sent`, {
      hint: withFlag(to.argv, '--expect', String(count)),
    })
  }
  const { isProtected } = await to.target()
  if (isProtected) await confirmProtected(to, { count, toDo, expect, isStdinFree: true })
  else await confirmChange(to, { toDo, isStdinFree: true })
}

/** `--map-stage OLD=NEW`. */
function parseMappedStages(texts: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf('=')
    const [old, other] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    if (at < 1 || old === '' || other === '') {
      throw new CrmError('usage', `--map-stage ${JSON.stringify(text)}: expected OLD=NEW`, {
        hint: "such as --map-stage 'Closed won=Won'",
      })
    }
    if (names.has(old)) {
      throw new CrmError('usage', `--map-stage names ${JSON.stringify(old)} twice`, { hint: 'leave one of them out' })
    }
    names.set(old, other)
  }
  return names
}

/** CrmError `invalid_input` after all stages without a counterpart were printed. */
function refuseStages(ctx: Pick<Context, 'io'>, missing: readonly MissingStage[]): void {
  const [first] = missing
  if (!first) return
  for (const { stage, pipeline, reason } of missing) {
    const where = pipeline === undefined ? '' : ` of the pipeline ${JSON.stringify(pipeline)}`
    writeNoteLine(ctx.io.stderr, `Stage ${JSON.stringify(stage)}${where}: ${reason}`)
  }
  const what = missing.length === 1 ? '1 stage has' : `${missing.length} stages have`
  throw new CrmError('invalid_input', `${what} no counterpart on the target; nothing was sent`, {
    hint: `name one for each, such as --map-stage ${shellWord(`${first.stage}=NEW`)}; crm pipelines list -p PROFILE shows those of the target`,
  })
}
