import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { addDecimals, type Decimal, decimalJson, multipliedDecimal, shareOf, ZERO } from '../../core/decimal.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { barWidth, funnelText } from '../../output/terminal-text.ts'
import { examples } from '../command-tree.ts'
import { type DealStage, DealStages, pipelineOf } from '../deals/deal-stages.ts'
import { FILTER_HELP } from '../deals/list.ts'
import { collect } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { printDerived } from '../print-derived.ts'
import { Amounts, lackingMember, readAllDeals } from './read-report.ts'

interface Options {
  readonly filter?: readonly string[]
}

const FUNNEL_WIDTH = 30

/** Of the other columns, with amounts of millions. */
const OTHER_COLUMNS = 72

export function addPipelineReport(report: CommandUnknownOpts, act: Act): void {
  const pipeline = report
    .command('pipeline')
    .description('show deals and amounts by pipeline and stage, in the order of the stages, with a funnel')
    .option('--filter <key=value>', FILTER_HELP, collect)
    .addHelpText(
      'after',
      examples(
        'crm report pipeline',
        'crm report pipeline --filter owner_id=u_ines -o csv',
        'crm report pipeline --where \'.created_at > "2026-01-01"\'',
      ),
    )
    .action(act(reportPipeline))
  addScopedFlags(pipeline, ['fields', 'where'])
}

/** The deals in one stage. */
class Stage {
  readonly pipelineId: string
  readonly name: string
  count = 0
  amount: Decimal = ZERO

  constructor(pipelineId: string, name: string) {
    this.pipelineId = pipelineId
    this.name = name
  }

  add(amount: Decimal | undefined): void {
    this.count++
    if (amount) this.amount = addDecimals(this.amount, amount)
  }
}

/** By pipeline and stage. */
type Funnels = Map<string, Map<string, Stage>>

async function reportPipeline(ctx: Context, { filter = [] }: Options): Promise<undefined> {
  const funnels: Funnels = new Map()
  const seen = { deals: 0, staged: 0 }
  const amounts = new Amounts()
  await readAllDeals(ctx, filter, (deal) => {
    seen.deals++
    if (typeof deal.stage === 'string') seen.staged++
    stageOf(funnels, deal).add(amounts.of(deal))
  })
  if (seen.deals > 0 && seen.staged === 0) throw lackingMember('deals', 'stage')
  const rows = await rowsOf(ctx, funnels)
  amounts.note(ctx)
  const columns = ['pipeline_id', 'stage', 'deals', 'amount', 'probability', 'weighted']
  const isTable = ctx.flags.output === 'table'
  await printDerived(ctx, { rows, columns: isTable ? [...columns, 'funnel'] : columns, plural: 'deals' })
}

function stageOf(funnels: Funnels, deal: CrmRecord): Stage {
  const pipelineId = pipelineOf(deal)
  const stages = funnels.get(pipelineId) ?? new Map<string, Stage>()
  funnels.set(pipelineId, stages)
  const name = typeof deal.stage === 'string' ? deal.stage : ''
  const stage = stages.get(name) ?? new Stage(pipelineId, name)
  stages.set(name, stage)
  return stage
}

/** Stages without a deal are rows, too; those that the pipeline does not have are last. */
async function rowsOf(ctx: Context, funnels: Funnels): Promise<readonly CrmRecord[]> {
  const known = new DealStages(ctx)
  const rows: CrmRecord[] = []
  for (const [pipelineId, held] of [...funnels].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const listed = await known.of(pipelineId)
    if (!listed) ctx.note(`The stages of ${pipelineId || 'the pipeline'} are not known: they are not in their order.`)
    const most = Math.max(...[...held.values()].map(({ count }) => count))
    const others = [...held.keys()].filter((name) => !listed?.some((stage) => stage.name === name))
    const stages = [
      ...(listed ?? []),
      ...others.toSorted().map((name) => ({ name, probability: undefined, state: undefined })),
    ]
    rows.push(
      ...stages.map((stage) =>
        rowOf(ctx, stage, { most, of: held.get(stage.name) ?? new Stage(pipelineId, stage.name) }),
      ),
    )
  }
  return rows
}

function rowOf(
  { flags, io }: Pick<Context, 'flags' | 'io'>,
  { name, probability }: DealStage,
  { of: { pipelineId, count, amount }, most }: { readonly of: Stage; readonly most: number },
): CrmRecord {
  const counted = (value: number): Decimal => ({ digits: BigInt(value), scale: 0 })
  const width = barWidth(io.stdout.columns, OTHER_COLUMNS, FUNNEL_WIDTH)
  return {
    pipeline_id: pipelineId || null,
    stage: name || null,
    deals: count,
    amount: decimalJson(amount),
    probability: probability ? decimalJson(probability) : null,
    weighted: probability ? decimalJson(multipliedDecimal(amount, probability)) : null,
    ...(flags.output === 'table' && { funnel: funnelText(shareOf(counted(count), counted(most)), width) }),
  }
}
