import { statSync } from 'node:fs'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { OpenedPlan, ShownOperation } from '../jobs/plan/check-plan.ts'
import { operationText } from './bulk/preview-lines.ts'
import { notePreview } from './bulk/show-plan.ts'
import { type CommandGroup, examples } from './command-tree.ts'
import { addScopedFlags } from './flags.ts'
import { printList, printValue, requestedLimit } from './print.ts'
import { isSummaryAlone } from './report-flag.ts'

export const PLAN_COMMANDS: CommandGroup = {
  description: 'plans that --plan wrote, before they are applied',
  commands: { show: addPlanShow },
}

function addPlanShow(plan: CommandUnknownOpts, act: Act): void {
  const command = plan
    .command('show <file>')
    .description('what a plan would send: a line for each request, and for each row that is rejected')
    .addHelpText(
      'after',
      examples(
        'crm plan show people.plan',
        `crm plan show people.plan --where '.do == "update"' --limit 20`,
        'crm plan show people.plan -o jsonl',
      ),
    )
    .action(act(showPlanFile))
  addScopedFlags(command, ['fields', 'where', 'limit'])
}

/** CrmError `invalid_input` where there is none; a job has no file that could be shown or applied. */
export async function requirePlanFile(ctx: Pick<Context, 'jobs'>, path: string): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })) return
  const job = (await ctx.jobs()).all().find(({ id }) => id === path || (path.length > 2 && id.endsWith(path)))
  throw new CrmError('invalid_input', `there is no plan ${JSON.stringify(path)}`, {
    hint: job
      ? `${path} is a job: crm jobs show ${path}`
      : 'make a plan with --plan FILE, say: crm contacts import people.csv --plan people.plan',
  })
}

async function showPlanFile(ctx: Context, file: string): Promise<undefined> {
  await requirePlanFile(ctx, file)
  const { openPlan } = await import('../jobs/plan/check-plan.ts')
  const plan = openPlan(file)
  if (isSummaryAlone(ctx)) return printValue(ctx, summaryOf(plan))
  ctx.note(summaryOf(plan))
  for (const line of sourceLines(plan)) ctx.note(line)
  const isForPeople = ctx.flags.output === 'table'
  if (isForPeople) notePreview(ctx, plan.preview())
  const unknown = new UnknownValues(plan.upserts)
  const pages = limited(plan, requestedLimit(ctx), (operation) => {
    unknown.see(operation)
    return isForPeople ? { ...operation, changes: operationText(operation) } : operation
  })
  const values = isForPeople ? ['changes'] : ['fields', 'was']
  const parent = plan.head.noun === 'notes' ? ['parent', 'on'] : []
  await printList(ctx, {
    pages,
    columns: ['op', 'do', 'line', 'id', ...parent, ...values, 'reason'],
    plural: 'requests',
  })
  for (const line of unknown.lines()) ctx.note(line)
}

/** Counts what a plan changes or deletes without the values that it replaces. */
class UnknownValues {
  readonly #upserts: string | undefined
  #changes = 0
  #creates = 0

  constructor(upserts: string | undefined) {
    this.#upserts = upserts
  }

  see({ do: kind, fields, was }: ShownOperation): void {
    if (kind === 'delete' || (kind === 'update' && fields)) this.#changes += was ? 0 : 1
    else if (kind === 'create') this.#creates += 1
  }

  lines(): readonly string[] {
    const changes = this.#changes
    return [
      ...(changes === 0
        ? []
        : [`The current values of ${changes} of these records are not in the plan, and shown as unknown.`]),
      ...(this.#upserts === undefined || this.#creates === 0 ? [] : [this.#upserts]),
    ]
  }
}

function summaryOf({ head, end }: OpenedPlan): string {
  const { create, update, delete: remove, fail = 0, rows } = end
  const parts = [`create ${create}`, `change ${update}`, `delete ${remove}`, `${fail} fail`]
  const what = parts.filter((part) => !/(^| )0( |$)/.test(part)).join(', ') || 'nothing'
  return `${head.noun} of ${head.account}: ${what}, of ${rows} rows; made ${new Date(head.made_at).toISOString()}`
}

/** From which columns and expressions the values come. */
function sourceLines({ head: { input, terms } }: OpenedPlan): readonly string[] {
  const taken = input?.verdict.columns.flatMap(({ name, field }) => {
    return field === undefined ? [] : name === field ? name : `${name} → ${field}`
  })
  return [
    ...(taken === undefined ? [] : [`Columns: ${taken.join(', ') || 'none'}`]),
    ...(terms?.read.compute ?? []).map((typed) => `Computed: ${typed}`),
  ]
}

async function* limited(
  plan: OpenedPlan,
  limit = Number.POSITIVE_INFINITY,
  shown: (operation: ShownOperation) => ShownOperation,
) {
  let left = limit
  for await (const operations of plan.pages()) {
    const items = operations.slice(0, left).map((operation) => ({ ...shown(operation) }) as unknown as CrmRecord)
    yield { items, nextCursor: undefined }
    left -= operations.length
    if (left <= 0) return
  }
}
