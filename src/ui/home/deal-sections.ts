import { addDecimals, compareDecimals, type Decimal, decimalOf, shareOf, ZERO } from '../../core/decimal.ts'
import { grouped } from '../../output/progress.ts'
import { cellText } from '../../output/safe-text.ts'
import { stageTone } from '../look/tones.ts'
import type { State } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import { shortNumber } from '../text/short-number.ts'
import { shortTime } from '../text/short-time.ts'
import { type DealFigures, type DealGroup, dealFigures, STALE_DAYS, type StageGroup } from './deal-figures.ts'
import { basisText, type HomeRow, type HomeSection } from './section.ts'

const MOST_OWNERS = 6
const MOST_STALE = 5

/** The pipeline, the amounts by owner, and stale deals. */
export function dealSections(state: State): readonly HomeSection[] {
  const { lists, board, times } = state
  const figures = dealFigures(lists.deals.rows, board.stages, times.nowMs)
  const basis = basisText(state, 'deals')
  if (lists.deals.rows.length === 0) return [{ title: 'Pipeline', basis, rows: [], notes: [] }]
  return [
    pipelineSection(figures, { basis, isOrderKnown: board.stages !== undefined }),
    ownerSection(figures.owners, basis),
    staleSection(figures, state, basis),
  ]
}

interface PipelineBasis {
  readonly basis: string
  readonly isOrderKnown: boolean
}

function pipelineSection({ stages, unmeasured }: DealFigures, { basis, isOrderKnown }: PipelineBasis): HomeSection {
  const most = greatest(stages)
  const rows = stages.map(({ name, count, sum }, at) => ({
    label: name,
    values: [grouped(count), shortNumber(sum), isOrderKnown ? conversionText(stages, at) : ''],
    share: shareOf(sum, most),
    tone: stageTone(name),
  }))
  const meaning = isOrderKnown
    ? '% of the deals at the stage before or past it are at this stage or past it; lost deals are not counted, as the stage they left is not known.'
    : 'No conversion: the order of the stages is not known.'
  const missing =
    unmeasured > 0
      ? [
          `Not in the amounts: ${grouped(unmeasured)} ${unmeasured === 1 ? 'that is not a number' : 'that are not numbers'}.`,
        ]
      : []
  return { title: 'Pipeline', basis, rows, notes: [meaning, ...missing] }
}

/** The share of the deals at the stage before or past it that are at this stage or past it; empty for the first, and lost ones. */
function conversionText(stages: readonly StageGroup[], at: number): string {
  const before = stages.findLastIndex(({ ends }, index) => index < at && ends !== 'lost')
  if (before < 0 || stages[at]?.ends === 'lost') return ''
  const [reached, earlier] = [countFrom(stages, at), countFrom(stages, before)]
  return earlier === 0 ? '' : `${Math.round((reached / earlier) * 100)} %`
}

function countFrom(stages: readonly StageGroup[], from: number): number {
  return stages.slice(from).reduce((total, { count, ends }) => total + (ends === 'lost' ? 0 : count), 0)
}

function ownerSection(owners: readonly DealGroup[], basis: string): HomeSection {
  const most = greatest(owners)
  const rest = owners.slice(MOST_OWNERS)
  const rowOf = ({ name, count, sum }: DealGroup): HomeRow => ({
    label: name,
    values: [grouped(count), shortNumber(sum)],
    share: shareOf(sum, most),
  })
  const others: DealGroup = {
    name: `${rest.length} others`,
    count: rest.reduce((total, each) => total + each.count, 0),
    sum: rest.reduce((total, each) => addDecimals(total, each.sum), ZERO),
  }
  const rows = [...owners.slice(0, MOST_OWNERS), ...(rest.length > 0 ? [others] : [])].map(rowOf)
  return { title: 'Amount by owner', basis: `${basis}, without lost ones`, rows, notes: [] }
}

function staleSection({ open, stale, staleSum, undated }: DealFigures, { times }: State, basis: string): HomeSection {
  const rows = stale.slice(0, MOST_STALE).map((deal) => {
    const amount = decimalOf(deal.amount)
    const changed = shortTime(deal.updated_at ?? deal.created_at, times.nowMs)
    return { label: recordName(deal), values: [amount ? shortNumber(amount) : '', cellText(deal.stage), changed] }
  })
  const count = `${grouped(stale.length)} of ${grouped(open)} open deals, ${shortNumber(staleSum)}, not changed for ${STALE_DAYS} d, ${basis}`
  const missing = undated > 0 ? [`${grouped(undated)} open deals have no time of their last change.`] : []
  const more = stale.length > MOST_STALE ? [`The ${MOST_STALE} oldest of ${grouped(stale.length)}.`] : []
  return { title: 'Stale', basis: count, rows, notes: [...more, ...missing] }
}

function greatest(groups: readonly DealGroup[]): Decimal {
  return groups.reduce((most, { sum }) => (compareDecimals(sum, most) > 0 ? sum : most), ZERO)
}
