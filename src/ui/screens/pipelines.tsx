import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimalOf,
  decimalText,
  shareOf,
  ZERO,
} from '../../core/decimal.ts'
import type { JsonValue } from '../../core/json.ts'
import { grouped } from '../../output/progress.ts'
import { barText, textWidth, wrapText } from '../../output/terminal-text.ts'
import { type BoardColumn, type Boards, clampBoard } from '../board.ts'
import { Rows } from '../components/panel.tsx'
import { partMark } from '../home/sections.ts'
import { fitCell, shortCell, shortNumber } from '../list/columns.ts'
import { rowId } from '../list/list-state.ts'
import { areasOf } from '../look/areas.ts'
import { stageTone, type Theme } from '../look/theme.ts'
import type { ScreenEntry } from '../screen-entry.ts'
import type { State } from '../state.ts'
import { dealsScreen } from './records.tsx'

const GAP = '  '
/** The name in two lines, with the amount at the end of the second. */
const CARD_ROWS = 2
const LEAST_WIDTH = 16
const INDENT = 2
/** Name; count, sum and share; bar; rule. */
const HEAD_ROWS = 4
/** The line below the cards, with the number of those further down. */
const FOOT_ROWS = 1

type BoardArea = { readonly width: number; readonly height: number }

export function cardsShown(height: number): number {
  return Math.max(1, Math.floor((height - HEAD_ROWS - FOOT_ROWS) / CARD_ROWS))
}

/** One column per stage: as many as fit around the selected one. */
export function boardLines(columns: readonly BoardColumn[], state: State, area: BoardArea, theme: Theme) {
  const { column, card } = clampBoard(state.board, columns)
  const { first, fitting } = stagesShown(columns.length, column, area.width)
  const width = widthOf(fitting, area)
  const most = columns.reduce((most, { sum }) => (compareDecimals(sum, most) > 0 ? sum : most), ZERO)
  const total = columns.reduce((all, { sum }) => addDecimals(all, sum), ZERO)
  const drawn = columns.slice(first, first + fitting).map((each, index) => {
    const isSelected = first + index === column
    const size = { width, height: area.height, most, total, at: first + index }
    return columnLines(each, { ...size, card: isSelected ? card : undefined }, state, theme)
  })
  return Array.from({ length: area.height }, (_, line) => {
    const text = drawn.map((lines) => lines[line] ?? ' '.repeat(width)).join(theme.dim(GAP))
    const used = fitting * width + (fitting - 1) * GAP.length
    return text + ' '.repeat(Math.max(0, area.width - used))
  })
}

function widthOf(fitting: number, area: BoardArea): number {
  return Math.floor((area.width - (fitting - 1) * GAP.length) / Math.max(1, fitting))
}

/** The stage and the deal that are drawn there, relative to the board; its first card for the head of a stage. */
export function cardAt(
  columns: readonly BoardColumn[],
  selected: Pick<State['board'], 'column' | 'card'>,
  area: BoardArea,
  { x, y }: { readonly x: number; readonly y: number },
): { readonly column: number; readonly card: number } | undefined {
  const { first, fitting } = stagesShown(columns.length, selected.column, area.width)
  const column = first + Math.floor(x / (widthOf(fitting, area) + GAP.length))
  const deals = columns[column]?.deals
  if (!deals || column >= first + fitting) return undefined
  const room = cardsShown(area.height)
  const line = y - HEAD_ROWS
  if (line >= room * CARD_ROWS) return undefined
  const card =
    Math.floor(Math.max(0, line) / CARD_ROWS) +
    topOf(column === selected.column ? selected.card : undefined, deals.length, room)
  return line < 0 ? { column, card: 0 } : card < deals.length ? { column, card } : undefined
}

function stagesShown(count: number, selected: number, width: number) {
  const room = Math.floor((width + GAP.length) / (LEAST_WIDTH + GAP.length))
  const fitting = Math.max(1, Math.min(count, room))
  return { first: Math.max(0, Math.min(selected - Math.floor(fitting / 2), count - fitting)), fitting }
}

interface ColumnArea {
  readonly at: number
  readonly width: number
  readonly height: number
  /** The largest sum of a stage, whose bar has the whole width. */
  readonly most: Decimal
  readonly total: Decimal
  /** The selected card; undefined in the other columns. */
  readonly card: number | undefined
}

function columnLines(column: BoardColumn, area: ColumnArea, state: State, theme: Theme): string[] {
  const { stage, deals, sum } = column
  const { width, height, most, card, at: place } = area
  const title = fitCell(`${card === undefined ? ' ' : '❯'} ${stage}`, width)
  const tone = stageTone(stage)
  const color = tone === undefined ? theme.stage(place) : theme[tone]
  const room = cardsShown(height)
  const top = topOf(card, deals.length, room)
  const below = deals.length - top - room
  return [
    card === undefined ? theme.bold(color(title)) : theme.inverse(title),
    fitCell(`  ${headText(column, area, state)}`, width),
    color(fitCell(`  ${barText(shareOf(sum, most), width - 2)}`, width)),
    theme.dim(ruleText(top, width)),
    ...deals.slice(top, top + room).flatMap((deal, at) => {
      const mark = state.lists.deals.marks.has(rowId(deal) ?? '') ? '*' : ' '
      const isCurrent = top + at === card
      const lines = cardLines(deal, `${isCurrent ? '❯' : ' '}${mark}`, width)
      return isCurrent ? lines.map(theme.inverse) : lines.map((line) => color('▎') + line.slice(1))
    }),
    ...(below > 0 ? [theme.dim(fitCell(`   ▼ ${grouped(below)}`, width))] : []),
  ]
}

/** The selected card is in the middle; other columns show their first cards. */
function topOf(card: number | undefined, count: number, room: number): number {
  return card === undefined ? 0 : Math.max(0, Math.min(card - Math.floor(room / 2), count - room))
}

/** The line above the cards, with the number of those further up. */
function ruleText(above: number, width: number): string {
  const count = above > 0 ? `── ▲ ${grouped(above)} ` : ''
  return count + '─'.repeat(Math.max(0, width - textWidth(count)))
}

/** `852 · 213.3M · 17 %`: the deals, their sum, and its share of all stages, which is left out where it does not fit. */
function headText({ deals, sum }: BoardColumn, { width, total }: ColumnArea, state: State): string {
  const mark = partMark(state.lists.deals)
  const count = `${grouped(deals.length)}${mark} · `
  const share = ` · ${Math.round(shareOf(sum, total) * 100)} %`
  const room = width - INDENT - textWidth(count)
  const textOf = (width: number) => sumText(sum, width - mark.length) + mark
  const text = textOf(room - textWidth(share))
  return textWidth(text) + textWidth(share) <= room ? `${count}${text}${share}` : `${count}${textOf(room)}`
}

/** The name in two lines, the second with the amount, which is never cut. */
function cardLines(deal: BoardColumn['deals'][number], sign: string, width: number): readonly string[] {
  const room = width - textWidth(sign)
  const [first = '', ...more] = wrapText(shortCell(deal.name, 2 * width), room)
  const rest = more.join(' ').trim()
  // Short where the name would be cut for its digits.
  const amount = amountText(deal.amount, Math.min(Math.floor(width / 2), room - textWidth(rest) - 1))
  const left = room - (amount === '' ? 0 : textWidth(amount) + 1)
  const second = `${fitCell(rest, left)}${amount === '' ? '' : ` ${amount}`}`
  return [`${sign}${fitCell(first, room)}`, `${' '.repeat(textWidth(sign))}${second}`]
}

function amountText(amount: JsonValue | undefined, width: number): string {
  const decimal = decimalOf(amount)
  return decimal ? sumText(decimal, width) : ''
}

/** `52,805,342.58` with all its digits, or `52.8M` where they do not fit. */
function sumText(sum: Decimal, width: number): string {
  const whole = decimalText(sum).replace(/^-?\d+/, (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, ','))
  return textWidth(whole) <= width ? whole : shortNumber(sum)
}

export const pipelinesScreen: ScreenEntry = {
  ...dealsScreen,
  title: 'Pipelines',
  status: hiddenStages,
  body: ({ state, areas: { listColumns, listRows }, theme, boards }) => (
    <Rows
      lines={boardLines(
        boards(state.lists.deals, state.board.stages),
        state,
        { width: listColumns, height: listRows + 1 },
        theme,
      )}
    />
  ),
}

function hiddenStages(state: State, boards: Boards): readonly string[] {
  const board = boards(state.lists.deals, state.board.stages)
  const { listColumns } = areasOf(state, state.lists.deals.isDetailOpen)
  const { first, fitting } = stagesShown(board.length, clampBoard(state.board, board).column, listColumns)
  return fitting < board.length ? [`stages ${first + 1}-${first + fitting} of ${board.length}, h l for the others`] : []
}
