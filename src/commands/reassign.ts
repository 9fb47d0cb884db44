import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Api } from '../api/api.ts'
import type { Act, Context } from '../context.ts'
import { addDecimals, type Decimal, decimalJson, ZERO } from '../core/decimal.ts'
import { CrmError } from '../core/errors.ts'
import type { ExitCode } from '../core/exit.ts'
import { idText, type JsonObject } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import { type CrmRecord, counted, fieldOf, RESOURCES } from '../core/resources/registry.ts'
import { typedProfile } from '../core/shell-words.ts'
import type { ChainDraft, MadeJob } from '../jobs/plan/make-job.ts'
import { cellText } from '../output/safe-text.ts'
import { addRunFlags } from './bulk/bulk-flags.ts'
import { sendChain, showOrSendChain } from './bulk/chain.ts'
import { addExpectFlag, type PlanFlags } from './bulk/plan.ts'
import { withPlanningProgress } from './bulk/planning-progress.ts'
import { commandLine, withFlag } from './command-line.ts'
import { examples } from './command-tree.ts'
import { DealStages } from './deals/deal-stages.ts'
import { addScopedFlags } from './flags.ts'
import { createMemberCheck } from './member-check.ts'
import { onlyFlag, refuseOtherNouns } from './only-flag.ts'
import { labelOf, OWNER, type OwnedResource, type Owner, ownedResources, readOwners, unknownOwner } from './owners.ts'
import { Amounts } from './report/read-report.ts'

const MOST_SHOWN = 20

interface Flags extends PlanFlags {
  readonly from: string
  readonly to: string
  readonly toNew?: true
  readonly only?: readonly string[]
  readonly open?: true
}

export function addReassign(program: CommandUnknownOpts, act: Act): void {
  const command = program
    .command('reassign')
    .description(
      'give the records of one owner to another one, of all objects that have owners; one undo takes all back',
    )
    .requiredOption('--from <owner>', 'by email or id, also one who has left; on crm serve, which has no users, by id')
    .requiredOption('--to <owner>', 'the same; without a list of users, the owner of any record')
    .option('--to-new', 'without a list of users: --to may own no record yet')
    .addOption(onlyFlag())
    .option('--open', 'leave deals that are won or lost')
    .addHelpText(
      'after',
      examples(
        'crm reassign --from anna@acme.example --to bernd@acme.example --dry-run',
        'crm reassign --from anna@acme.example --to bernd@acme.example --only deals --open',
        'crm reassign --from u_anna --to u_bernd --yes',
      ),
    )
    .action(act(reassign))
  addExpectFlag(command)
  addRunFlags(command)
  addScopedFlags(command, ['whereErrors', 'yes', 'dryRun', 'exitCode', 'fields', 'where'])
}

async function reassign(ctx: Context, flags: Flags): Promise<ExitCode> {
  refuseEmpty(flags)
  const jobs = await ctx.jobs()
  const begun = ctx.flags.isDryRun ? undefined : await jobs.begunChain()
  if (begun) return sendChain(ctx, begun, flags)
  const api = await ctx.api()
  const objects = chosenObjects(ctx, api, flags.only)
  const owners = await readOwners(ctx)
  const [from, to] = [owners.named('--from', flags.from), owners.named('--to', flags.to)]
  const fault = from.id === to.id ? 'it is the same owner' : to.hasLeft ? 'this user has left' : undefined
  if (fault !== undefined)
    throw new CrmError('usage', `--to ${flags.to}: ${fault}; nothing was sent`, {
      hint: `crm ${owners.areUnlisted ? 'report owners' : 'users list'}${typedProfile(ctx.argv)}`,
    })
  const chain = jobs.chain()
  const planned = { ctx, api, from, to, chain, isOpenOnly: flags.open === true, inUse: new Set<string>() }
  const parts: Part[] = []
  try {
    for (const object of objects) parts.push(...(await planObject(planned, object)))
    if (owners.areUnlisted && !flags.toNew) await requireInUse(planned, objects, flags.to)
  } catch (error) {
    for (const { job } of parts) jobs.of(job.paths).drop()
    throw error
  }
  if (parts.length === 0) noteNone(planned)
  return showOrSendChain(
    ctx,
    {
      jobs: parts.map(({ job }) => job),
      lines: parts.flatMap(({ lines }, at) => [...(at === 0 ? [`Owner: ${from.text} → ${to.text}`] : []), ...lines]),
      verb: 'change the owner of',
      shown: new Map(parts.map(({ job, shown }) => [job, shown])),
    },
    flags,
  )
}

/** A variable of a script that is not set. */
function refuseEmpty(flags: Flags): void {
  const name = (['from', 'to'] as const).find((each) => flags[each].trim() === '')
  if (name === undefined) return
  throw new CrmError('usage', `--${name} is empty, expected an owner`, { hint: 'crm reassign --help' })
}

function chosenObjects({ argv }: Context, api: Api, only: Flags['only']): readonly OwnedResource[] {
  const owned = ownedResources(api)
  const nouns = owned.map((resource): string => RESOURCES[resource].plural)
  if (only) refuseOtherNouns(argv, only, { nouns, what: 'objects with owners' })
  return owned.filter((resource) => only?.includes(RESOURCES[resource].plural) ?? true)
}

interface Planning {
  readonly ctx: Context
  readonly api: Api
  readonly from: Owner
  readonly to: Owner
  readonly chain: ChainDraft
  readonly isOpenOnly: boolean
  /** The ids of all owners of the records that were read. */
  readonly inUse: Set<string>
}

interface Part {
  readonly job: MadeJob
  /** For people. */
  readonly lines: readonly string[]
  /** For the dry run. */
  readonly shown: CrmRecord
}

/** None for an object of which the owner has no record. CrmError `not_supported` if he has some that cannot change. */
async function planObject(planning: Planning, resource: OwnedResource): Promise<readonly Part[]> {
  const { ctx, api, from, to, chain, inUse, isOpenOnly } = planning
  const { plural } = RESOURCES[resource]
  const jobs = await ctx.jobs()
  const { where, uses } = await ctx.expr()
  const stages = isOpenOnly && resource === 'deal' ? new DealStages(ctx) : undefined
  const seen = new Seen(resource)
  const isChosen = async (record: CrmRecord) => {
    const owner = idText(record[OWNER])
    if (owner !== undefined) inUse.add(owner)
    const state = owner === from.id ? await stages?.stateOf(record) : undefined
    return owner === from.id && (state === undefined || state === 'open')
  }
  const keepAll = async (records: readonly CrmRecord[]) => {
    const own: CrmRecord[] = []
    for (const record of records) if (await isChosen(record)) own.push(record)
    const kept = (await where?.keepAll(own)) ?? own
    for (const record of kept) seen.add(record)
    return kept
  }
  if (!api.connector.offers(resource, 'update')) {
    for await (const { items } of api[plural].list()) await keepAll(items)
    if (seen.count === 0) return []
    throw cannotChange(planning, seen)
  }
  const request = {
    ...({ noun: plural, kind: 'update', patch: { [OWNER]: to.id } } as const),
    ...{ part: undefined, stages: undefined, chain },
    where: { keepAll, failure: () => where?.failure() },
    check: createMemberCheck(ctx, resource, uses('none')),
  }
  const made = await withPlanningProgress(ctx, (hooks) => jobs.plan('selection', request, hooks))
  if (made.type === 'refused') throw new Error('a selection has no input that could be refused')
  if (made.type === 'same') {
    const { id } = made.job.paths
    throw new CrmError('conflict', `${id} has already started this, and is not finished`, {
      hint: `crm jobs resume ${id}${typedProfile(ctx.argv)}`,
      job: id,
    })
  }
  if (made.job.end.update > 0) return [{ job: made.job, lines: seen.lines(), shown: seen.shown() }]
  jobs.of(made.job.paths).drop()
  chain.takeBack()
  return []
}

function cannotChange({ ctx, api, from }: Planning, { count, resource }: Seen): CrmError {
  const others = ownedResources(api).filter((each) => api.connector.offers(each, 'update'))
  const only = others.map((each) => RESOURCES[each].plural).join(',')
  const what = `${counted(count, resource)} of ${from.text} cannot be changed: ${api.connector.name} has no update of them`
  return new CrmError('not_supported', `${what}; nothing was sent`, {
    hint: only === '' ? 'crm objects' : withFlag(ctx.argv, '--only', only),
  })
}

/** The records of one object that change, of which the first are shown. */
class Seen {
  readonly resource: OwnedResource
  count = 0
  readonly #rows: JsonObject[] = []
  readonly #amounts = new Amounts()
  #amount: Decimal = ZERO

  constructor(resource: OwnedResource) {
    this.resource = resource
  }

  add(record: CrmRecord): void {
    const { id = null, stage, amount } = record
    this.count++
    this.#amount = addDecimals(this.#amount, this.#amounts.of(record) ?? ZERO)
    if (this.#rows.length >= MOST_SHOWN) return
    const name = labelOf(this.resource, record)
    this.#rows.push({ id, name, ...(stage !== undefined && { stage }), ...(amount !== undefined && { amount }) })
  }

  shown(): CrmRecord {
    const isMeasured = fieldOf(this.resource, 'amount') !== undefined
    return { amount: isMeasured ? decimalJson(this.#amount) : null, records: this.#rows }
  }

  lines(): readonly string[] {
    const { amount } = this.shown()
    const sum = amount === null ? '' : `, amount ${cellText(amount)}`
    const more = this.count - this.#rows.length
    const rows = this.#rows.map((row) => `    ${Object.values(row).map(cellText).join('  ')}`)
    return [`  ${counted(this.count, this.resource)}${sum}`, ...rows, ...(more > 0 ? [`    and ${more} more`] : [])]
  }
}

/** CrmError `usage` for an owner of no record, of a server without a list of users. */
async function requireInUse(planning: Planning, read: readonly OwnedResource[], word: string): Promise<void> {
  const { ctx, api, to, inUse } = planning
  for (const resource of ownedResources(api)) {
    if (inUse.has(to.id)) return
    if (read.includes(resource)) continue
    for await (const { items } of api[RESOURCES[resource].plural].list())
      for (const { [OWNER]: owner } of items) inUse.add(idText(owner) ?? '')
  }
  if (inUse.has(to.id)) return
  throw unknownOwner(
    { flag: '--to', word, argv: ctx.argv },
    {
      why: 'no record has this owner, and the server lists no users; --to-new takes it all the same',
      near: nearest(word, [...inUse]),
      otherwise: commandLine([...ctx.argv, '--to-new']),
    },
  )
}

function noteNone({ ctx, from, to, inUse }: Planning): void {
  const others = [...inUse].filter((id) => id !== to.id)
  const near = inUse.has(from.id) ? undefined : nearest(from.id, others)
  ctx.note(`${from.text} has no record to reassign${near === undefined ? '' : `; the nearest owner is ${near}`}.`)
}
