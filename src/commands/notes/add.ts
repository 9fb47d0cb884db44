import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { printDryRun } from '../dry-run.ts'
import { addFieldsFlags, type FieldsOptions, readFields, writeOptions } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { printWritten } from '../print.ts'

interface Options extends FieldsOptions {
  readonly body?: string
}

export function addNotesAdd(notes: CommandUnknownOpts, act: Act): void {
  const add = notes
    .command('add <deal-id>')
    .description('add a note to a deal')
    .option('--body <text>', 'what the note says')
    .addHelpText('after', examples('crm notes add deal_0abc --body "Called; the contract goes out on Monday"'))
    .action(act(addNote))
  addFieldsFlags(add)
  addScopedFlags(add, ['fields', 'dryRun', 'exitCode'])
}

async function addNote(ctx: Context, dealId: string, options: Options): Promise<ExitCode | undefined> {
  const { body, set: given = [], data } = options
  if (body === undefined && given.length === 0 && data === undefined) {
    throw new CrmError('usage', 'a note needs a body', { hint: `${commandLine(ctx.argv)} --body TEXT` })
  }
  const set = body === undefined ? given : [`body=${body}`, ...given]
  const fields = await readFields(ctx, { set, data })
  const path = `/v1/deals/${encodeURIComponent(dealId)}/notes`
  if (ctx.flags.isDryRun) return printDryRun(ctx, { method: 'POST', path, body: fields })
  const api = await ctx.api()
  return printWritten(ctx, await api.notes(dealId).create(fields, writeOptions(ctx, options)), 'note')
}
