import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { type OpenResource, RESOURCES } from '../../core/resources/registry.ts'
import { examples, type OpenRecordCommand } from '../command-tree.ts'
import { addExportFlags, EXPORT_FILE_HELP, type ExportFlags, exportList } from '../export-list.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf } from '../print.ts'

export function addExport(
  parent: CommandUnknownOpts,
  act: Act,
  { resource, examples: lines }: OpenRecordCommand,
): void {
  const all = parent
    .command('export')
    .description(`write all ${RESOURCES[resource].plural} to a file; if it fails, no file is written`)
    .argument('<file>', EXPORT_FILE_HELP)
    .addHelpText('after', examples(...lines))
    .action(act((ctx, file: string, flags: ExportFlags) => exportRecords(ctx, resource, file, flags)))
  addExportFlags(all)
  addScopedFlags(all, ['export'])
}

async function exportRecords(
  ctx: Context,
  resource: OpenResource,
  file: string,
  flags: ExportFlags,
): Promise<undefined> {
  const api = await ctx.api()
  const pages = api[RESOURCES[resource].plural].list()
  return exportList(ctx, file, { pages, ...listOf(resource) }, flags)
}
