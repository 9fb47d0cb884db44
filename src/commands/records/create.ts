import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { type ListedResource, RESOURCES } from '../../core/resources/registry.ts'
import { examples, type RecordCommand } from '../command-tree.ts'
import { dryRunWrite } from '../dry-run.ts'
import { addFieldsFlags, addNewFieldFlag, type FieldsOptions, writeOptions } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { printWritten } from '../print.ts'
import { givenFields } from './given-fields.ts'
import { noteOtherValues, refuseTextForNumber } from './write-checks.ts'

export function addCreate(parent: CommandUnknownOpts, act: Act, { resource, examples: lines }: RecordCommand): void {
  const create = parent
    .command('create')
    .description(`create a ${resource}`)
    .addHelpText('after', examples(...lines))
    .action(act((ctx, options: FieldsOptions) => createRecord(ctx, resource, options)))
  addFieldsFlags(create)
  addNewFieldFlag(create)
  addScopedFlags(create, ['fields', 'dryRun', 'exitCode'])
}

async function createRecord(
  ctx: Context,
  resource: ListedResource,
  options: FieldsOptions,
): Promise<ExitCode | undefined> {
  const { path, plural } = RESOURCES[resource]
  const { fields } = await givenFields(ctx, options, { resource, of: 'new' })
  if (ctx.flags.isDryRun) return dryRunWrite(ctx, { write: { kind: 'create', fields }, of: (api) => api[plural], path })
  await refuseTextForNumber(ctx, options, resource)
  const api = await ctx.api()
  const write = writeOptions(ctx, options)
  const record = await api[plural].create(fields, write)
  await noteOtherValues(ctx, { api, resource, record, sent: fields })
  return printWritten(ctx, record, resource)
}
