import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { examples, type RecordCommand } from '../command-tree.ts'
import type { Findable } from '../find.ts'
import { getByIds } from '../find-many.ts'
import { addScopedFlags } from '../flags.ts'

export function addGet(
  parent: CommandUnknownOpts,
  act: Act,
  { resource, examples: lines }: Pick<RecordCommand, 'examples'> & { readonly resource: Findable },
): void {
  const get = parent
    .command('get <id...>')
    .description(`show one ${resource}, or a list of several; - reads ids from stdin`)
    .addHelpText('after', examples(...lines))
    .action(act((ctx, words: readonly string[]) => getByIds(ctx, resource, words)))
  addScopedFlags(get, ['fields', 'progress', 'pager'])
}
