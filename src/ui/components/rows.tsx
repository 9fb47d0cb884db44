import { Box, Text } from 'ink'
import { memo } from 'react'

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
