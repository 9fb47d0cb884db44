import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { examples, type RecordCommand } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { type HistoryOptions, SINCE_HELP, showHistory } from '../history/show-history.ts'
import { parseMoment } from '../time-flags.ts'

export function addRecordHistory(
  parent: CommandUnknownOpts,
  act: Act,
  { resource }: Pick<RecordCommand, 'resource'>,
): void {
  const { plural, singular } = RESOURCES[resource]
  const history = parent
    .command('history <id>')
    .description(`show who changed a ${singular}, the newest change first, with old and new values`)
    .option('--since <time>', SINCE_HELP, parseMoment)
    .addHelpText(
      'after',
      examples(
        `crm ${plural} history ${exampleIdOf(resource)}`,
        `crm ${plural} history ${exampleIdOf(resource)} -o json`,
      ),
    )
    .action(
      act((ctx, id: string, options: Pick<HistoryOptions, 'since'>) => showHistory(ctx, options, { resource, id })),
    )
  addScopedFlags(history, ['fields', 'where', 'limit', 'pager'])
}

function exampleIdOf(resource: RecordCommand['resource']): string {
  return `${RESOURCES[resource].idPrefix}0abc`
}
