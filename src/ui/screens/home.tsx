import { Box } from 'ink'
import { addDecimals, ZERO } from '../../core/decimal.ts'
import { barText, sparkText, textWidth, wrapText } from '../../output/terminal-text.ts'
import { PANEL_COLUMNS, PANEL_ROWS, Panel, Rows } from '../components/panel.tsx'
import { dealFigures } from '../home/deal-figures.ts'
import { type HomeRow, type HomeSection, homeSections } from '../home/sections.ts'
import { fitCell, shortNumber } from '../list/columns.ts'
import { areasOf } from '../look/areas.ts'
import { createTheme, type Theme, type Tone } from '../look/theme.ts'
import type { ScreenEntry } from '../screen-entry.ts'
import type { State } from '../state.ts'
import { underWayText } from '../text/change-text.ts'

/** Digits of three rows, to be read from a distance. */
const GLYPHS: Readonly<Record<string, readonly [string, string, string]>> = {
  '0': ['┏━┓', '┃ ┃', '┗━┛'],
  '1': [' ┓ ', ' ┃ ', ' ┻ '],
  '2': ['╺━┓', '┏━┛', '┗━╸'],
  '3': ['╺━┓', ' ━┫', '╺━┛'],
  '4': ['╻ ╻', '┗━┫', '  ╹'],
  '5': ['┏━╸', '┗━┓', '╺━┛'],
  '6': ['┏━╸', '┣━┓', '┗━┛'],
  '7': ['╺━┓', '  ┃', '  ╹'],
  '8': ['┏━┓', '┣━┫', '┗━┛'],
  '9': ['┏━┓', '┗━┫', '╺━┛'],
  '.': [' ', ' ', '╹'],
  '-': ['   ', '╺━╸', '   '],
  '+': ['   ', '╺╋╸', '   '],
  K: ['╻ ╻', '┣━┛', '╹ ╹'],
  M: ['┏┳┓', '┃╹┃', '╹ ╹'],
  B: ['┏━┓', '┣━┫', '┗━┛'],
}

const GLYPH_ROWS = 3
const LEAST = { columns: 100, rows: 30 } as const

type Figure = { readonly title: string; readonly text: string; readonly tone: Tone }

function figureRows({ columns, rows }: Pick<State, 'columns' | 'rows'>): number {
  return columns < LEAST.columns || rows < LEAST.rows ? 0 : GLYPH_ROWS + PANEL_ROWS
}

/** Totals of the loaded records, with a `+` if more may exist. */
function Figures({ state, theme }: { readonly state: State; readonly theme: Theme }) {
  const figures = figuresOf(state)
  const width = Math.floor(state.columns / figures.length)
  return (
    <Box flexShrink={0}>
      {figures.map(({ title, text, tone }) => (
        <Panel key={title} title={title} width={width} isFocused={false} theme={theme}>
          <Rows lines={largeText(text).map((line) => theme[tone](fitCell(`  ${line}`, width - PANEL_COLUMNS)))} />
        </Panel>
      ))}
    </Box>
  )
}

function figuresOf({ lists, board, times }: State): readonly Figure[] {
  const { stages } = dealFigures(lists.deals.rows, board.stages, times.nowMs)
  const sumOf = (ends: 'won' | 'lost' | undefined) =>
    stages.filter((stage) => stage.ends === ends).reduce((sum, stage) => addDecimals(sum, stage.sum), ZERO)
  const more = (isComplete: boolean) => (isComplete ? '' : '+')
  const failing = lists.webhooks.rows.filter((row) => row.status === 'disabled' || Number(row.failing ?? 0) > 0).length
  return [
    { title: 'Open deals', text: shortNumber(sumOf(undefined)) + more(lists.deals.isComplete), tone: 'accent' },
    { title: 'Won', text: shortNumber(sumOf('won')) + more(lists.deals.isComplete), tone: 'good' },
    { title: 'Contacts', text: `${lists.contacts.rows.length}${more(lists.contacts.isComplete)}`, tone: 'accent' },
    { title: 'Webhooks failing', text: `${failing}`, tone: failing > 0 ? 'bad' : 'dim' },
  ]
}

/** A character without a large form is its own, on the last row. */
function largeText(text: string): readonly string[] {
  const glyphs = [...text].map((char) => GLYPHS[char] ?? [' ', ' ', char])
  return Array.from({ length: GLYPH_ROWS }, (_, row) => glyphs.map((glyph) => glyph[row] ?? '').join(' '))
}

/** From this width on the sections are in two columns. */
const WIDE = 120
const GAP = ' │ '

/** The home screen: a line of what is loaded and under way, and the visible lines, each exactly as wide as the screen. */
function Home({ state, theme }: { readonly state: State; readonly theme: Theme }) {
  const [status = '', ...lines] = homeLines(state, theme)
  return (
    <>
      <Rows lines={[status]} />
      {figureRows(state) > 0 && <Figures state={state} theme={theme} />}
      <Rows lines={lines} />
    </>
  )
}

function homeLines(state: State, theme: Theme): readonly string[] {
  const [width, height] = [state.columns, homeHeight(state)]
  const lines = allLines(state, width, theme)
  const top = Math.max(0, Math.min(state.home.top, lines.length - height))
  const shown = lines.slice(top, top + height)
  while (shown.length < height) shown.push(' '.repeat(width))
  const place =
    lines.length > height ? [`lines ${top + 1}-${Math.min(top + height, lines.length)} of ${lines.length}`] : []
  return [theme.dim(fitCell(` ${[...place, ...homeStatus(state)].join(' · ')}`, width)), ...shown]
}

export function lastHomeTop(state: State): number {
  return Math.max(0, allLines(state, state.columns, UNPAINTED).length - homeHeight(state))
}

const UNPAINTED = createTheme('none')

/** Home has no column headers. */
function homeHeight(state: State): number {
  return Math.max(1, areasOf(state, false).listRows + 1 - figureRows(state))
}

function homeStatus(state: State): readonly string[] {
  return [
    ...(state.home.isFirst ? ['crm browse begins here (B changes it)'] : []),
    ...underWayText(state),
    ...(state.isSlow ? ['loading … (Esc stops)'] : []),
  ]
}

function allLines(state: State, width: number, theme: Theme): readonly string[] {
  const [left, right] = homeSections(state)
  if (width < WIDE) return [...left, ...right].flatMap((section) => sectionLines(section, width, theme))
  const leftWidth = Math.floor((width - GAP.length) / 2)
  const rightWidth = width - GAP.length - leftWidth
  const [one, other] = [
    left.flatMap((section) => sectionLines(section, leftWidth, theme)),
    right.flatMap((section) => sectionLines(section, rightWidth, theme)),
  ]
  return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => {
    const first = one[at] ?? ' '.repeat(leftWidth)
    return `${first}${theme.dim(GAP)}${other[at] ?? ' '.repeat(rightWidth)}`
  })
}

function sectionLines({ title, basis, rows, notes }: HomeSection, width: number, theme: Theme): readonly string[] {
  const room = width - textWidth(title) - 3
  const [first = '', ...rest] = wrapText(basis, Math.max(10, room))
  const dim = (text: string) => theme.dim(fitCell(text, width))
  const more = rest.length === 0 ? [] : wrapText(rest.join(''), width - 2).map((line) => dim(`  ${line}`))
  return [
    `${theme.bold(` ${title}`)}  ${theme.dim(fitCell(first, room))}`,
    ...more,
    ...rowLines(rows, width, theme),
    ...notes.flatMap((note) => wrapText(note, width - 2).map((line) => dim(`  ${line}`))),
    ' '.repeat(width),
  ]
}

const INDENT = 2
const COLUMN_GAP = 2
const LONGEST_LABEL = 0.4
const BAR = { least: 6, most: 40 }

function rowLines(rows: readonly HomeRow[], width: number, theme: Theme): readonly string[] {
  const valueWidths = (rows[0]?.values ?? []).map((_, at) =>
    Math.max(...rows.map(({ values }) => textWidth(values[at] ?? ''))),
  )
  const valuesWidth = valueWidths.reduce((total, each) => total + COLUMN_GAP + each, 0)
  const labels = Math.max(0, ...rows.map(({ label }) => textWidth(label)))
  const hasGraph = rows.some(({ share, spark }) => share !== undefined || spark)
  const room = width - INDENT - valuesWidth - (hasGraph ? COLUMN_GAP + BAR.least : 0)
  const labelWidth = Math.max(
    4,
    Math.min(labels, hasGraph ? Math.max(Math.floor(width * LONGEST_LABEL), 12) : room, room),
  )
  const graphWidth = Math.min(BAR.most, width - INDENT - labelWidth - valuesWidth - COLUMN_GAP)
  return rows.map((row) => {
    const values = row.values
      .map(
        (value, at) =>
          ' '.repeat(COLUMN_GAP) + fitCell(value, valueWidths[at] ?? 0, /^[-\d]/.test(value) ? 'right' : 'left'),
      )
      .join('')
    const text = fitCell(
      `${' '.repeat(INDENT)}${fitCell(row.label, labelWidth)}${values}`,
      INDENT + labelWidth + valuesWidth,
    )
    const graph = graphWidth > 0 ? graphOf(row, graphWidth) : ''
    const used = INDENT + labelWidth + valuesWidth + (graph === '' ? 0 : COLUMN_GAP + textWidth(graph))
    const painted = row.tone === undefined ? text : theme[row.tone](text)
    return `${painted}${graph === '' ? '' : `  ${theme.accent(graph)}`}${' '.repeat(Math.max(0, width - used))}`
  })
}

function graphOf({ share, spark }: HomeRow, width: number): string {
  // A part of the days would look like all of them.
  if (spark) return spark.length <= width ? sparkText(spark) : ''
  return share === undefined ? '' : barText(share, width)
}

export const homeScreen: ScreenEntry = {
  title: 'Home',
  columns: [],
  body: ({ state, theme }) => <Home state={state} theme={theme} />,
}
