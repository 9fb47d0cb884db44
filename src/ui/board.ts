import { addDecimals, compareDecimals, type Decimal, decimalOf, decimalText, shareOf, ZERO } from '../core/decimal.ts'
import type { JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { cellText } from '../output/safe-text.ts'
import { barText } from '../output/terminal-text.ts'
import type { Theme } from './draw/theme.ts'
import { fitCell, shortCell } from './list/columns.ts'
import { type ListState, rowId, shownCount, shownRow } from './list/list-state.ts'
import type { BoardState, State } from './state.ts'

export interface BoardColumn {
  readonly stage: string
  readonly deals: readonly CrmRecord[]
  readonly sum: Decimal
}

export type Boards = (list: ListState, stages: BoardState['stages']) => readonly BoardColumn[]

/** The loaded deals that pass the filter, one column per stage; grouped again only after a change. */
export function createBoards(): Boards {
  let last: { rows: unknown; order: unknown; stages: unknown; board: readonly BoardColumn[] } | undefined
  return (list, stages) => {
    if (last?.rows !== list.rows || last.order !== list.order || last.stages !== stages) {
      last = { rows: list.rows, order: list.order, stages, board: groupByStage(list, stages) }
    }
    return last.board
  }
}

/** In the order of the pipeline, followed by stages of other pipelines. */
function groupByStage(list: ListState, stages: BoardState['stages']): readonly BoardColumn[] {
  const groups = new Map<string, { deals: CrmRecord[]; sum: Decimal }>()
  for (const stage of stages ?? []) groups.set(cellText(stage.name), { deals: [], sum: ZERO })
  const count = shownCount(list)
  for (let position = 0; position < count; position++) {
    const deal = shownRow(list, position)
    if (!deal) continue
    const name = cellText(deal.stage) || '(none)'
    const group = groups.get(name) ?? { deals: [], sum: ZERO }
    groups.set(name, group)
    group.deals.push(deal)
    group.sum = addDecimals(group.sum, decimalOf(deal.amount) ?? ZERO)
  }
  return Array.from(groups, ([stage, group]) => ({ stage, ...group }))
}

/** Limits column and card to the board. */
export function clampBoard(board: BoardState, columns: readonly BoardColumn[]): BoardState {
  const column = Math.max(0, Math.min(board.column, columns.length - 1))
  const card = Math.max(0, Math.min(board.card, (columns[column]?.deals.length ?? 0) - 1))
  return { ...board, column, card }
}

const GAP = ' │ '

const LEAST_WIDTH = 16

/** Name, count and sum, bar, rule. */
const HEAD_ROWS = 4

/** Name, and amount. */
const CARD_ROWS = 2

interface BoardArea {
  readonly width: number
  readonly height: number
}

/** One column per stage: as many as fit around the selected one. */
export function boardLines(
  columns: readonly BoardColumn[],
  state: State,
  area: BoardArea,
  theme: Theme,
): readonly string[] {
  const { column, card } = clampBoard(state.board, columns)
  const { first, fitting } = stagesShown(columns.length, column, area.width)
  const width = Math.floor((area.width - (fitting - 1) * GAP.length) / Math.max(1, fitting))
  const most = columns.reduce((most, { sum }) => (compareDecimals(sum, most) > 0 ? sum : most), ZERO)
  const drawn = columns.slice(first, first + fitting).map((each, index) => {
    const isSelected = first + index === column
    return columnLines(each, { width, height: area.height, most, card: isSelected ? card : undefined }, state, theme)
  })
  return Array.from({ length: area.height }, (_, line) => {
    const text = drawn.map((lines) => lines[line] ?? ' '.repeat(width)).join(theme.dim(GAP))
    const used = fitting * width + (fitting - 1) * GAP.length
    return text + ' '.repeat(Math.max(0, area.width - used))
  })
}

/** The columns that fit around the selected one. */
export function stagesShown(count: number, selected: number, width: number) {
  const room = Math.floor((width + GAP.length) / (LEAST_WIDTH + GAP.length))
  const fitting = Math.max(1, Math.min(count, room))
  return { first: Math.max(0, Math.min(selected - Math.floor(fitting / 2), count - fitting)), fitting }
}

interface ColumnArea {
  readonly width: number
  readonly height: number
  /** The largest sum of a stage, whose bar has the whole width. */
  readonly most: Decimal
  /** The selected card; undefined in the other columns. */
  readonly card: number | undefined
}

function columnLines({ stage, deals, sum }: BoardColumn, area: ColumnArea, state: State, theme: Theme): string[] {
  const { width, height, most, card } = area
  const title = fitCell(`${card === undefined ? ' ' : '❯'} ${stage}`, width)
  const lines = [
    card === undefined ? theme.bold(title) : theme.inverse(title),
    fitCell(`  ${deals.length}${state.lists.deals.isComplete ? '' : '+'}  ${sumText(sum)}`, width),
    theme.accent(fitCell(`  ${barText(shareOf(sum, most), width - 2)}`, width)),
    theme.dim('─'.repeat(width)),
  ]
  const cards = Math.max(1, Math.floor((height - HEAD_ROWS) / CARD_ROWS))
  const top = card === undefined ? 0 : Math.max(0, Math.min(card - Math.floor(cards / 2), deals.length - cards))
  for (const [index, deal] of deals.slice(top, top + cards).entries()) {
    const isCurrent = top + index === card
    const mark = state.lists.deals.marks.has(rowId(deal) ?? '') ? '*' : ' '
    const name = fitCell(`${isCurrent ? '❯' : ' '}${mark}${shortCell(deal.name, width)}`, width)
    const amount = fitCell(`  ${amountText(deal.amount)}`, width)
    lines.push(isCurrent ? theme.inverse(name) : name, theme.dim(amount))
  }
  return lines
}

function amountText(amount: JsonValue | undefined): string {
  const decimal = decimalOf(amount)
  return decimal ? sumText(decimal) : ''
}

/** `52,805,342.58`: all digits, with thousands separators. */
function sumText(sum: Decimal): string {
  return decimalText(sum).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','))
}
