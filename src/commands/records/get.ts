import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { examples, type RecordCommand } from '../command-tree.ts'
import { type Findable, findOne, notThere } from '../find.ts'
import { findMany, namesOf, readIds } from '../find-many.ts'
import { addScopedFlags } from '../flags.ts'
import { isTable, listOf, printList, printOne } from '../print.ts'
import { addWithFlag, linkedReader, type WithFlag, withLinked } from '../with-linked.ts'

export function addGet(
  parent: CommandUnknownOpts,
  act: Act,
  { resource, examples: lines }: Pick<RecordCommand, 'examples'> & { readonly resource: Findable },
): void {
  const get = parent
    .command('get <id...>')
    .description(`show one ${resource}, or a list of several; - reads ids from stdin`)
    .addHelpText('after', examples(...lines))
    .action(act((ctx, words: readonly string[], flags: WithFlag) => getByIds(ctx, resource, words, flags)))
  addWithFlag(get)
  addScopedFlags(get, ['fields', 'progress', 'pager'])
}

/**
 * One typed id prints an object. Several ids, and those from stdin, print a list, even if stdin contains only one, so that a pipe
 * always receives the same shape.
 */
async function getByIds(
  ctx: Context,
  resource: Findable,
  words: readonly string[],
  { with: linked }: WithFlag,
): Promise<undefined> {
  const { plural } = RESOURCES[resource]
  const ids = await readIds(ctx, words, `crm ${plural} list -o id`)
  const [only] = words.length === 1 && words[0] !== '-' ? ids : []
  const reader = linked && (await linkedReader(ctx, resource, linked))
  if (only !== undefined) {
    const found = await findOne(ctx, resource, only)
    const [record = found] = (await reader?.read([found])) ?? []
    return printOne(ctx, reader && isTable(ctx) ? reader.cells(record) : record, resource)
  }
  const { pages, missing } = findMany(await ctx.api(), resource, ids)
  await printList(ctx, {
    ...listOf(resource),
    ...(reader ? { pages: withLinked(pages, reader), cells: reader.cells } : { pages }),
    plural: ids.length === 0 ? 'ids on stdin' : `${plural} with these ids`,
  })
  if (missing.length === 0) return
  if (missing.length === ids.length) throw notThere(resource, namesOf(missing))
  throw new CrmError('partial', `${missing.length} of ${ids.length} ${plural} do not exist: ${namesOf(missing)}`, {
    hint: `crm ${plural} list`,
  })
}
