import { Box } from 'ink'
import { addDecimals, ZERO } from '../../core/decimal.ts'
import { dealFigures } from '../home/deal-figures.ts'
import { fitCell } from '../list/columns.ts'
import type { Theme, Tone } from '../look/theme.ts'
import type { State } from '../state.ts'
import { shortNumber } from '../text/short-number.ts'
import { PANEL_COLUMNS, PANEL_ROWS, Panel } from './panel.tsx'
import { Rows } from './rows.tsx'

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

interface Figure {
  readonly title: string
  readonly text: string
  readonly tone: Tone
}

/** The rows that the figures take; none on a small screen. */
export function figureRows({ columns, rows }: Pick<State, 'columns' | 'rows'>): number {
  return columns < LEAST.columns || rows < LEAST.rows ? 0 : GLYPH_ROWS + PANEL_ROWS
}

/** What the business comes to, as far as it is loaded: with a `+` where more may exist. */
export function Figures({ state, theme }: { readonly state: State; readonly theme: Theme }) {
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
