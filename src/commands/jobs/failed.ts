import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../examples.ts'
import { addScopedFlags } from '../flags.ts'
import { printList } from '../print.ts'

const COLUMNS = ['line', 'id', 'state', 'code', 'field', 'reason', 'request_id']

export function addJobsFailed(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('failed <job>')
    .description('rows that failed or are in doubt, and why')
    .addHelpText(
      'after',
      examples(
        'crm jobs failed psve',
        "crm jobs failed psve --jq 'group_by(.code) | map({code: .[0].code, n: length})'",
      ),
    )
    .action(act(listFailed))
  addScopedFlags(command, ['fields', 'where', 'limit'])
}

async function listFailed(ctx: Context, word: string): Promise<undefined> {
  const jobs = await ctx.jobs()
  const paths = jobs.find(word)
  const limit = ctx.flags.where === undefined ? ctx.flags.limit : undefined
  await printList(ctx, { pages: jobs.failures(paths, limit), columns: COLUMNS, plural: 'failed rows' })
  const report = await jobs.reportFailures(paths)
  if (report?.file !== undefined) ctx.note(`These rows as they were, to be corrected: ${report.file}`)
}
