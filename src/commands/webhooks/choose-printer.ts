import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { createStyles, shouldColor } from '../../output/color.ts'
import type { EventPrinter } from './event-printer.ts'
import { createJsonlPrinter } from './jsonl-printer.ts'
import { createTablePrinter } from './table-printer.ts'

/** CrmError `usage` for a format that has an end: these lines come as things happen. */
export function choosePrinter({ io, env, flags }: Context, command: string): EventPrinter {
  if (flags.output === 'jsonl') return createJsonlPrinter()
  if (flags.output !== 'table') {
    throw new CrmError('usage', `${command} prints table or jsonl, not ${flags.output}: a stream has no end`, {
      hint: `${command} -o jsonl`,
    })
  }
  return createTablePrinter(
    io.stdout,
    createStyles(shouldColor({ flag: flags.color, env, isTTY: io.stdout.isTTY === true })),
  )
}
