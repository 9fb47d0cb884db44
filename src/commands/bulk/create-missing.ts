import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { counted, RESOURCES, type Resource, resourceNamed } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/shell-words.ts'
import { temporaryFolder } from '../../core/streams.ts'
import type { MadeImport } from '../../jobs/plan/make-job.ts'
import type { JobNoun, JobTotals } from '../../jobs/plan/plan-format.ts'
import type { ImportRequest } from '../../jobs/plan/plan-rows.ts'
import type { MissingRecords } from '../../jobs/plan/references.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { cellText } from '../../output/safe-text.ts'
import { commandLine, withFlag } from '../command-line.ts'
import { requiredHere } from '../required-fields.ts'
import { readFlags } from './bulk-flags.ts'
import type { ImportFlags } from './import-rows.ts'
import { confirmPlan, notePlan } from './plan.ts'
import { withPlanningProgress } from './planning-progress.ts'
import { sendOne } from './send-job.ts'

const MOST_NAMED = 5

/** `shown`: a plan that is not sent, because of `--dry-run` or of errors. */
export type CreatedMissing =
  | { readonly shown: MadeImport }
  /** What a plan may leave open, because no row that is sent names it; and what was confirmed of the rest. */
  | { readonly creates: ReadonlySet<Resource>; readonly confirmed?: JobTotals }

/**
 * `--create-missing`: creates the records that rows name and that do not exist, as jobs of their own, before the rows are planned. The plan
 * of the rows is shown and confirmed before anything is sent.
 */
export async function createMissing(ctx: Context, request: ImportRequest, flags: ImportFlags): Promise<CreatedMissing> {
  refuseBeside(ctx, request, flags)
  const creates = await createdObjects(ctx, request.noun, flags.createMissing ?? [])
  const jobs = await ctx.jobs()
  if (!ctx.flags.isDryRun) await finishBegun(ctx, creates, { request, flags })
  const made = await withPlanningProgress(ctx, (hooks) => jobs.plan('import', { ...request, creates }, hooks, true))
  if (made.type !== 'made') return made.type === 'same' ? { creates } : { shown: made }
  const { job } = made
  const missing: Created[] = []
  let isShown = false
  try {
    for (const one of made.missing ?? []) {
      refuseAddresses(one)
      missing.push({ ...one, members: await membersOf(ctx, one) })
    }
    for (const one of missing) ctx.note(missingText(one))
    if (ctx.flags.isDryRun) {
      isShown = true
      const createFirst = Object.fromEntries(missing.map(({ to, values }) => [RESOURCES[to].plural, values.length]))
      return { shown: { ...made, job: { ...job, createFirst } } }
    }
    if (missing.length === 0) return { creates }
    await notePlan(ctx, job, flags)
    const first = { count: missing.reduce((sum, { values }) => sum + values.length, 0), what: countsText(missing) }
    await confirmPlan(ctx, job, { ...flags, first, also: ` and first create ${first.what}` })
  } finally {
    if (!isShown) jobs.of(job.paths).drop()
  }
  for (const one of missing) await createAll(ctx, one, { request, flags })
  return { creates, confirmed: job.end }
}

interface Created extends MissingRecords {
  /** Those of a new record, all with the value. */
  readonly members: readonly string[]
}

function refuseBeside(ctx: Context, request: ImportRequest, { plan }: ImportFlags): void {
  const refuse = (what: string, hint: string) => {
    throw new CrmError('usage', `--create-missing: ${what}`, { hint })
  }
  if (request.inputName === '-') refuse('the input is read twice, so it cannot be stdin', 'name a file')
  if (plan !== undefined && !ctx.flags.isDryRun)
    refuse('a plan in a file has ids, and these records have none yet', 'leave --plan out; --dry-run shows the plan')
}

async function createdObjects(ctx: Context, object: string, nouns: readonly string[]): Promise<ReadonlySet<Resource>> {
  const api = await ctx.api()
  const known = Object.values(RESOURCES).map(({ plural }): string => plural)
  const creates = new Set<Resource>()
  for (const noun of nouns) {
    const named = Object.values(RESOURCES).find(({ singular, plural }) => noun === plural || noun === singular)
    const own = named && resourceNamed(named.plural)
    if (own === undefined) {
      throw new CrmError('usage', `--create-missing ${cellText(noun)}: expected objects, such as companies`, {
        hint: withFlag(ctx.argv, '--create-missing', nearest(noun, known) ?? 'companies'),
      })
    }
    if (RESOURCES[own].plural === object) {
      throw new CrmError('usage', `--create-missing ${noun}: the rows are ${object} themselves`, {
        hint: `import them without the column that names other ${object}, then with it and --match`,
      })
    }
    api.require(own, 'create')
    creates.add(own)
  }
  return creates
}

/** Servers keep the domain of an address, so that the record would be made and not found again. */
function refuseAddresses({ to, by, values }: MissingRecords): void {
  const wrong = by === 'domain' ? values.find((value) => /^www\.|[\s/:?#@]/i.test(value)) : undefined
  if (wrong === undefined) return
  const domain = wrong
    .trim()
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^www\./i, '')
    .replace(/[/:?#].*$/s, '')
  const what = `a ${RESOURCES[to].singular} cannot be created for ${JSON.stringify(wrong)}: expected a domain`
  throw new CrmError('invalid_input', `${what}, such as ${cellText(domain)}; nothing was sent`, {
    hint: 'correct the file, and run the same command again',
  })
}

function missingText({ to, values, ...one }: MissingRecords): string {
  const more = values.length > MOST_NAMED ? ` and ${values.length - MOST_NAMED} more` : ''
  return `To create first: ${countText({ to, values, ...one })}: ${values.slice(0, MOST_NAMED).map(cellText).join(', ')}${more}`
}

function countsText(missing: readonly MissingRecords[]): string {
  return missing.map(countText).join(' and ')
}

function countText({ to, by, values }: MissingRecords): string {
  return `${counted(values.length, to)} (${by})`
}

/** Its jobs are found by it after a stop. */
function runOf(resource: Resource, { inputName }: Pick<ImportRequest, 'inputName'>): string {
  return `missing ${RESOURCES[resource].plural} of ${resolve(inputName)}`
}

interface Creating {
  readonly request: ImportRequest
  readonly flags: ImportFlags
}

/** CrmError `conflict` if a row that would be sent names what is not there, although it was created. */
export async function requireCreated(ctx: Context, made: MadeImport): Promise<void> {
  if (made.type !== 'made') return
  const [missing] = made.missing ?? []
  if (!missing) return
  const jobs = await ctx.jobs()
  jobs.of(made.job.paths).drop()
  const what = `no ${RESOURCES[missing.to].singular} has the ${missing.by} ${JSON.stringify(missing.values[0])}`
  throw new CrmError('conflict', `${what} any more, or the server changed it; no row was sent`, {
    hint: commandLine(ctx.argv),
  })
}

/** The jobs of the same command that were stopped. */
async function finishBegun(ctx: Context, creates: Iterable<Resource>, { request, flags }: Creating): Promise<void> {
  const jobs = await ctx.jobs()
  for (const resource of creates) {
    const paths = await jobs.unended(runOf(resource, request))
    if (paths) await send(ctx, { paths, resource, flags })
  }
}

async function createAll(ctx: Context, missing: Created, { request, flags }: Creating): Promise<void> {
  const { to, by, values, members } = missing
  const lines = values.map((value) => JSON.stringify(Object.fromEntries(members.map((name) => [name, value]))))
  const { makeTemporaryFolder } = await import('../../files/folders.ts')
  const { writePrivateFile } = await import('../../files/replace-file.ts')
  const jobs = await ctx.jobs()
  const folder = makeTemporaryFolder(join(temporaryFolder(ctx.env), 'crm-missing-'))
  let made: MadeImport
  try {
    const inputName = join(folder, `${RESOURCES[to].plural}.jsonl`)
    await writePrivateFile(inputName, `${lines.join('\n')}\n`)
    made = await jobs.plan('import', {
      ...{ noun: RESOURCES[to].plural as JobNoun, kind: 'import', as: 'import', of: undefined, inputName },
      ...{ read: readFlags({}, members), match: { names: [by], mode: 'upsert' }, run: runOf(to, request) },
      ...{ stages: undefined, rejects: undefined, listFindings: undefined, part: undefined, isAgain: false },
      ...{ duplicates: 'error', rateShare: request.rateShare },
    })
  } finally {
    // The job has a copy.
    rmSync(folder, { recursive: true, force: true })
  }
  if (made.type === 'refused') throw refused(to, made.text.lines)
  if (made.type === 'made' && made.job.end.create !== values.length) {
    jobs.of(made.job.paths).drop()
    throw new CrmError('conflict', `${RESOURCES[to].plural} were created or changed meanwhile; nothing was sent`, {
      hint: commandLine(ctx.argv),
    })
  }
  await send(ctx, { paths: made.job.paths, resource: to, flags })
}

/** A new record gets its value as its name, too, if it must have one; of other members crm knows nothing. */
async function membersOf(ctx: Context, { to, by }: MissingRecords): Promise<readonly string[]> {
  const { singular, plural } = RESOURCES[to]
  const others = (await requiredHere(ctx))(to).filter((name) => name !== by)
  const unknown = others.find((name) => name !== 'name')
  if (unknown === undefined) return [by, ...others]
  throw new CrmError(
    'usage',
    `--create-missing ${singular}: a new ${singular} must have ${unknown}, too; nothing was sent`,
    {
      hint: `crm ${plural} import FILE creates them first`,
    },
  )
}

function refused(to: Resource, lines: readonly string[]): CrmError {
  return new CrmError('invalid_input', `${RESOURCES[to].plural} cannot be created: ${lines[0]}; nothing was sent`, {
    hint: `create them with crm ${RESOURCES[to].plural} import FILE, then run the same command again`,
  })
}

interface Sending {
  readonly paths: JobPaths
  readonly resource: Resource
  readonly flags: ImportFlags
}

/** Throws if one of the records is not created: the rows that name it would fail. */
async function send(ctx: Context, { paths, resource, flags }: Sending): Promise<void> {
  const { record, error } = await sendOne(ctx, paths, flags)
  // The same command goes on with them, and with the rows.
  if (error instanceof CrmError)
    throw new CrmError(error.code, error.message, { ...error.details, hint: commandLine(ctx.argv), cause: error })
  if (error !== undefined) throw error
  const done = typeof record.done === 'number' ? record.done : 0
  const undo = `crm jobs undo ${paths.id}${typedProfile(ctx.argv)}`
  ctx.note(`${counted(done, resource)} created; to take back, undo the job of the rows first, then: ${undo}`)
}
