import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { type ImportableResource, isListed, type PluralOf, RESOURCES } from '../../core/resources/registry.ts'
import { addMatchFlags, addRecheckFlag } from '../bulk/bulk-flags.ts'
import { addCreateMissingFlag, addImportFlags, type ImportFlags, importRows } from '../bulk/import-rows.ts'
import { addUnattendedFlags, runUnattended, type UnattendedFlags } from '../bulk/unattended.ts'
import { examples } from '../command-tree.ts'
import { addNewFieldFlag } from '../fields-input.ts'

export interface ImportCommand {
  readonly resource: ImportableResource
  readonly description?: string
  readonly examples: readonly string[]
}

export function addImport(parent: CommandUnknownOpts, act: Act, what: ImportCommand): void {
  const { resource, examples: lines } = what
  const { plural } = RESOURCES[resource]
  const { description = `create ${plural} from a csv, tsv, jsonl, json or yaml file; - reads stdin` } = what
  const command = parent
    .command('import <file>')
    .description(description)
    .addHelpText('after', examples(...lines))
    .action(act((ctx, file: string, flags: ImportFlags & UnattendedFlags) => importRecords(ctx, plural, file, flags)))
  const canMatch = isListed(resource)
  if (canMatch) addMatchFlags(command)
  addImportFlags(command)
  if (canMatch) addCreateMissingFlag(command)
  addNewFieldFlag(command)
  addUnattendedFlags(command)
  if (canMatch) addRecheckFlag(command)
}

function importRecords(
  ctx: Context,
  noun: PluralOf<ImportableResource>,
  file: string,
  flags: ImportFlags & UnattendedFlags,
): Promise<ExitCode> {
  if (flags.recheck === false && flags.match === undefined) {
    throw new CrmError('usage', '--no-recheck requires --match', { hint: 'leave it out' })
  }
  if (flags.lockWait !== undefined && file === '-') {
    throw new CrmError('usage', '--lock-wait needs a file, for stdin can be read once', { hint: 'name the file' })
  }
  return runUnattended(ctx, { ...flags, command: `crm ${noun} import` }, (report) =>
    importRows(ctx, { noun, kind: 'import' }, file, { ...flags, report }),
  )
}
