import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { createStyles, shouldColor } from '../../output/color.ts'
import { createJsonlOccurrences } from './jsonl-occurrences.ts'
import type { OccurrencePrinter } from './occurrence-printer.ts'
import { createTableOccurrences } from './table-occurrences.ts'

/** CrmError `usage` for a format that has an end: these lines come as things happen. */
export function choosePrinter({ io, env, flags }: Context, command: string): OccurrencePrinter {
  if (flags.output === 'jsonl') return createJsonlOccurrences()
  if (flags.output !== 'table') {
    throw new CrmError('usage', `${command} prints table or jsonl, not ${flags.output}: a stream has no end`, {
      hint: `${command} -o jsonl`,
    })
  }
  return createTableOccurrences(
    io.stdout,
    createStyles(shouldColor({ flag: flags.color, env, isTTY: io.stdout.isTTY === true })),
  )
}
