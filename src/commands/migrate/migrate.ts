import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { type CrmRecord, counted, RESOURCES, type Resource, resourceOf } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { temporaryFolder } from '../../core/streams.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import type { Migration, MigrationParts } from '../../migration/open-migration.ts'
import type { ResourcePlan, SentPart } from '../../migration/plan-jobs.ts'
import type { MissingStage } from '../../migration/stages.ts'
import type { Verified } from '../../migration/verify.ts'
import { writeNoteLine } from '../../output/safe-text.ts'
import { addRunFlags, type RunFlags, runTerms } from '../bulk/bulk-flags.ts'
import { addExpectFlag } from '../bulk/plan.ts'
import { withPlanningProgress } from '../bulk/planning-progress.ts'
import { runShown } from '../bulk/run-shown.ts'
import { commandLine, withFlag } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { confirmChange, confirmProtected, type ExpectFlags, expectedOf } from '../confirm.ts'
import { dryRunExit } from '../dry-run.ts'
import { collect } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { onlyFlag, refuseOtherNouns } from '../only-flag.ts'
import { onePage, printList } from '../print.ts'

interface Options extends RunFlags, ExpectFlags {
  readonly from: string
  readonly to: string
  readonly mapStage?: readonly string[]
  readonly only?: readonly string[]
}

export function addMigrate(program: CommandUnknownOpts, act: Act): void {
  const command = program
    .command('migrate')
    .summary('move all records to another server')
    .description(
      'create the records of one server on another, each once, and compare them; the same command goes on after a stop',
    )
    .requiredOption('--from <profile>', 'the profile of the server that is read')
    .requiredOption('--to <profile>', 'the profile of the server that gets the records')
    .option(
      '--map-stage <old=new>',
      'the stage of the target for a stage of the source; PIPELINE/STAGE where a name is not enough (repeatable)',
      collect,
    )
    .addOption(onlyFlag())
    .addHelpText(
      'after',
      examples(
        'crm migrate --from old --to new --dry-run',
        'crm migrate --from old --to new --only contacts,companies',
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
  const { sourceObjects, withMigration } = await import('../../migration/open-migration.ts')
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
  return withEnds(ctx, options, ({ to, parts }) => {
    const { only } = options
    const nouns = sourceObjects(parts.from).map((type): string => RESOURCES[type].plural)
    if (only) refuseOtherNouns(ctx.argv, only, { nouns, what: `objects of ${options.from}` })
    return withMigration({ ...parts, only, stageNames: named, onRead: (...read) => onRead(...read) }, (migration) =>
      migrateRecords(ctx, { migration, to, shown, options }),
    )
  })
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
  const lacks = [...migration.lacks].map(([type, reason]) => `${RESOURCES[type].plural}; ${reason}`)
  for (const lack of lacks) ctx.note(`Not migrated: ${lack}.`)
  refuseStages(ctx, migration.missingStages())
  const plans = migration.plans()
  if (plans.length === 0)
    throw new CrmError('not_supported', `nothing can be migrated: ${lacks[0]}`, { hint: 'crm objects' })
  notePlan(ctx, plans)
  if (ctx.flags.isDryRun) return showPlan(ctx, plans)
  const problems = await sendPlans(ctx, parts, plans)
  const verified = migration.verified()
  const rows = migration.plans().map((plan) =>
    resultRecord(
      plan,
      verified.find(({ type }) => type === plan.type),
    ),
  )
  await printList(ctx, { pages: onePage(rows), columns: resultColumns, plural: 'resources' })
  return verdict(ctx, { verified, problems })
}

async function showPlan(ctx: Context, plans: readonly ResourcePlan[]): Promise<ExitCode> {
  await printList(ctx, { pages: onePage(plans.map(planRecord)), columns: migrationColumns, plural: 'resources' })
  const isChange = plans.some(({ create, change }) => create + change > 0)
  ctx.note(isChange ? 'Dry run: nothing was sent.' : 'Dry run: nothing would change.')
  return dryRunExit(ctx, isChange)
}

/** Creates the records, then sets the references to those that had no id yet. Returns what went wrong with rows, in words. */
async function sendPlans(ctx: Context, parts: Parts, plans: readonly ResourcePlan[]): Promise<readonly string[]> {
  const { migration, to, shown, options } = parts
  await confirmMigration(to, plans, options)
  ctx.keepExitCode?.()
  const problems = await sendAll(ctx, parts, { types: typesOf(plans), what: 'records' })
  await shown(() => migration.readTarget(typesOf(plans.filter(({ create, migrated }) => create > 0 || migrated === 0))))
  const types = typesOf(migration.plans().filter(({ change }) => change > 0))
  problems.push(...(await sendAll(ctx, parts, { types, what: 'references' })))
  await shown(() => migration.readTarget(types))
  return problems
}

function typesOf(plans: readonly ResourcePlan[]): readonly Resource[] {
  return plans.map(({ type }) => type)
}

interface Sent {
  readonly types: readonly Resource[]
  readonly what: SentPart
}

/** Returns what went wrong with rows, in words. */
async function sendAll(ctx: Context, { migration, to, options }: Parts, { types, what }: Sent): Promise<string[]> {
  const problems: string[] = []
  for (const type of types) {
    const job = await migration.begin(type, what)
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

/** Returns only if the changes of the target are confirmed, or there are none. */
async function confirmMigration(to: Context, plans: readonly ResourcePlan[], flags: ExpectFlags): Promise<void> {
  const text = (of: 'create' | 'change') =>
    plans.flatMap(({ type, [of]: count }) => (count > 0 ? [counted(count, type)] : [])).join(', ')
  const parts = [['create ', text('create')] as const, ['set references of ', text('change')] as const]
  const toDo = parts.flatMap(([verb, records]) => (records === '' ? [] : [verb + records])).join(', ')
  const count = plans.reduce((sum, { create, change }) => sum + create + change, 0)
  if (count === 0) return
  const expect = expectedOf(to, flags, { count, toDo })
  if (expect !== undefined && expect !== count) {
    throw new CrmError('unconfirmed', `--expect ${expect}, but this would ${toDo}; nothing was sent`, {
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

interface Ends {
  readonly from: Context
  readonly to: Context
  readonly parts: Omit<MigrationParts, 'only' | 'stageNames' | 'onRead'>
}

/**
 * Runs `work` with both servers, each with the key of its own profile. CrmError `usage` for a flag or variable that would name one of
 * them twice.
 */
async function withEnds<Result>(
  ctx: Context,
  names: { readonly from: string; readonly to: string },
  work: (ends: Pick<Ends, 'to' | 'parts'>) => Promise<Result>,
): Promise<Result> {
  refuseOtherChoices(ctx)
  const [from, to] = [ctx.withProfile(names.from), ctx.withProfile(names.to)]
  try {
    return await work({ to, parts: await partsOf(ctx, { from, to }, names) })
  } finally {
    await from.close()
    await to.close()
  }
}

async function partsOf(
  ctx: Context,
  { from, to }: Pick<Ends, 'from' | 'to'>,
  names: { readonly from: string; readonly to: string },
): Promise<Ends['parts']> {
  const { apiWithObjects } = await import('../server-objects.ts')
  const source = await from.target()
  const jobs = await to.jobs()
  const accounts = { from: source.baseUrl.href.replace(/\/$/, ''), to: await jobs.account() }
  if (accounts.from === accounts.to) {
    throw new CrmError('usage', `${names.from} and ${names.to} are the same server, ${accounts.to}`, {
      hint: 'a migration needs two servers: crm auth login --base-url URL -p NAME',
    })
  }
  return {
    // The objects that the target describes count, so it is asked last.
    ...{ from: await apiWithObjects(from), to: await apiWithObjects(to), jobs, accounts },
    isTrial: ctx.flags.isDryRun,
    temporary: temporaryFolder(ctx.env),
    note: ctx.note,
  }
}

/** A key or a connector that is given for all servers would go to both. */
function refuseOtherChoices({ flags, env }: Context): void {
  const given = [
    flags.profile !== undefined && '-p',
    flags.keyFile !== undefined && '--key-file',
    flags.isKeyOnStdin && '--key-stdin',
    env.CRM_CONNECTOR && 'CRM_CONNECTOR',
  ].find(Boolean)
  if (!given) return
  throw new CrmError('usage', `${given} names one server, and a migration has two`, {
    hint: 'leave it out: --from and --to name profiles, which have their own address, key and connector',
  })
}

interface Sending {
  readonly flags: RunFlags
  readonly isResumed: boolean
}

/**
 * Sends what is left of a job of the chain. Returns what went wrong with rows, in words; the others continue. Throws when sending
 * stopped before its end.
 */
async function sendChained(
  ctx: Context,
  to: Context,
  paths: JobPaths,
  { flags, isResumed }: Sending,
): Promise<string | undefined> {
  const jobs = await to.jobs()
  if (isResumed) ctx.note(`Resuming ${paths.id}.`)
  const { account, otherRows, error } = await runShown(ctx, jobs, {
    paths,
    terms: { ...runTerms(flags), isDoubtReopened: isResumed },
  })
  const { rows, done, failed, in_doubt: doubt } = account
  const { head, end } = await jobs.of(paths).state()
  const { noun } = head
  ctx.onServerChange?.(`${done} of ${rows} ${noun}; see crm jobs show ${paths.id}`)
  ctx.note(`${paths.id}: ${done} of ${rows} ${noun} ${end.update > 0 ? 'changed' : 'created'}.`)
  if (otherRows.count > 0)
    ctx.note(
      `The server answered with other values than were sent for ${otherRows.count} of them; first: ${otherRows.first}`,
    )
  if (error === undefined) return undefined
  if (!(error instanceof CrmError)) throw error
  if (error.code !== 'partial' || account.unsent > 0) {
    throw new CrmError(error.code, error.message, { ...error.details, hint: commandLine(ctx.argv), cause: error })
  }
  const report = await jobs.of(paths).reportFailures()
  for (const { code, count, reason } of report?.groups.slice(0, 10) ?? []) ctx.note(`${count} × ${code}: ${reason}`)
  const resource = resourceOf(noun)
  const parts = [
    ...(failed > 0 ? [`${counted(failed, resource)} failed`] : []),
    ...(doubt > 0 ? [`in doubt: ${counted(doubt, resource)}`] : []),
  ]
  return `${parts.join(', ')} (${paths.id})`
}

const migrationColumns = ['resource', 'source', 'migrated', 'create', 'change', 'cannot', 'in_doubt']

const resultColumns = [
  ...['resource', 'source', 'migrated', 'failed', 'in_doubt'],
  ...['equal', 'alike', 'different', 'missing', 'others', 'digest', 'target_digest'],
]

function planRecord({ type, inDoubt, left, ...counts }: ResourcePlan): CrmRecord {
  return { resource: RESOURCES[type].plural, ...counts, in_doubt: inDoubt, not_carried: Object.fromEntries(left) }
}

/** The members of the comparison are null where the target lists no such records. */
function resultRecord(
  { type, source, migrated, create, cannot, inDoubt }: ResourcePlan,
  verified: Verified | undefined,
): CrmRecord {
  const { equal = null, alike = null, different = null, missing = null, others = null } = verified ?? {}
  const digests = { digest: verified?.digest ?? null, target_digest: verified?.targetDigest ?? null }
  const compared = { equal, alike, different, missing, others, ...digests }
  return { resource: RESOURCES[type].plural, source, migrated, failed: create + cannot, in_doubt: inDoubt, ...compared }
}

const MOST_MEMBERS = 12

/** What is to be created, and what stays behind. */
function notePlan(ctx: Pick<Context, 'note'>, plans: readonly ResourcePlan[]): void {
  for (const { type, source, migrated, create, change, cannot, inDoubt } of plans) {
    const parts = [
      `${create} to create`,
      `${migrated} migrated before`,
      `${change} to get references`,
      `${cannot} cannot be created`,
      `${inDoubt} in doubt`,
    ]
    const shown = parts.filter((part) => !part.startsWith('0 ')).join(', ')
    ctx.note(`${RESOURCES[type].plural}: ${source} on the source${shown === '' ? '' : `; ${shown}`}`)
  }
  for (const { type, left } of plans) {
    if (left.size === 0) continue
    const names = [...left].slice(0, MOST_MEMBERS).map(([name, count]) => `${name} (${count})`)
    const more = left.size > names.length ? `, and ${left.size - names.length} more` : ''
    ctx.note(`Not carried over, of ${RESOURCES[type].plural}: ${names.join(', ')}${more}`)
  }
  ctx.note('Not carried over: pipelines, users, webhooks, ids, times and versions.')
}
