import { Box, Text } from 'ink'
import { memo, type ReactNode } from 'react'
import { fitText, textWidth } from '../../output/terminal-text.ts'
import type { Theme } from '../look/theme.ts'

/** Painted lines, each a text of one row: a box for each cell would take ten times as long to lay out. */
export function Rows({ lines }: { readonly lines: readonly string[] }) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, row) => (
        <Row key={row} line={line} />
      ))}
    </Box>
  )
}

/** Ink gives a text without characters no row, and lays out each blank at its end. */
const Row = memo(({ line }: { readonly line: string }) => <Text wrap="truncate">{line.trimEnd() || ' '}</Text>)

interface PanelProps {
  readonly title: string
  readonly width: number
  /** With the keys, which its border shows. */
  readonly isFocused: boolean
  readonly theme: Theme
  readonly children: ReactNode
}

export const PANEL_ROWS = 2
export const PANEL_COLUMNS = 2

/** A box with its title in the upper border; the focused one has the accent. */
export function Panel({ title, width, isFocused, theme, children }: PanelProps) {
  const paint = isFocused ? theme.accent : theme.dim
  const shown = title === '' ? '' : ` ${fitText(title, width - 6)} `
  const rest = '─'.repeat(Math.max(0, width - 3 - textWidth(shown)))
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      <Text wrap="truncate">{`${paint('╭─')}${theme.bold(shown)}${paint(`${rest}╮`)}`}</Text>
      <Box
        borderStyle="round"
        borderTop={false}
        {...theme.border(isFocused)}
        flexDirection="column"
        width={width}
        flexShrink={0}
      >
        {children}
      </Box>
    </Box>
  )
}

export type Cursor = { readonly x: number; readonly y: number }

/** Lines that cover the bottom of the screen, and the position of the terminal's cursor, relative to the first line. */
export interface OverlayLines {
  readonly title?: string
  readonly lines: readonly string[]
  readonly cursor: Cursor | undefined
}

export function coveredRows({ lines, title }: OverlayLines): number {
  return lines.length + (title === undefined ? 0 : PANEL_ROWS)
}
