import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { RECORD_RESOURCES } from '../../core/resources/registry.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { parseMoment } from '../time-flags.ts'
import { type HistoryOptions, SINCE_HELP, showHistory } from './show-history.ts'

export function addHistory(program: CommandUnknownOpts, act: Act): void {
  const history = program
    .command('history')
    .description(
      'show who changed what, the newest change first; where the server keeps no history, what jobs of this machine did',
    )
    .option('--since <time>', SINCE_HELP, parseMoment)
    .option('--key <name>', 'only changes made with this API key: its name or id')
    .option('--job <job>', 'only changes made by this job')
    .addOption(new Option('--resource <name>', 'only changes of records of this kind').choices(RECORD_RESOURCES))
    .addHelpText(
      'after',
      examples(
        'crm history --since 1d',
        'crm history --since 2h --key warehouse -o jsonl',
        'crm history --job job_0s9ps10psve --where \'.fields | index("stage")\'',
      ),
    )
    .action(act((ctx, options: HistoryOptions) => showHistory(ctx, options)))
  addScopedFlags(history, ['fields', 'where', 'limit', 'pager'])
}
