import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import type { ExitCode } from '../core/exit.ts'
import { commandLine } from './command-line.ts'
import { type CommandGroup, examples } from './command-tree.ts'
import { dryRunWrite } from './dry-run.ts'
import { addExportFlags, EXPORT_FILE_HELP, type ExportFlags, exportList } from './export-list.ts'
import { addFieldsFlags, type FieldsOptions, readFields, writeOptions } from './fields-input.ts'
import { addScopedFlags } from './flags.ts'
import { listOf, printList, printWritten, requestedLimit } from './print.ts'
import { addDeleteByIds } from './records/delete.ts'
import { addImport } from './records/import.ts'
import { addSortFlag, printSorted, type SortFlag } from './sorted-list.ts'

export const NOTES_COMMANDS: CommandGroup = {
  description: 'the notes of deals',
  commands: {
    list: addNotesList,
    add: addNotesAdd,
    delete: (parent, act) =>
      addDeleteByIds(parent, act, {
        resource: 'note',
        examples: [
          'crm notes delete note_0abc',
          'crm notes list deal_0abc -o id | crm notes delete - --yes --expect 3',
        ],
      }),
    export: addNotesExport,
    import: (parent, act) =>
      addImport(parent, act, {
        resource: 'note',
        description: 'add notes to deals from a file with the columns deal_id and body; - reads stdin',
        examples: ['crm notes import notes.csv --dry-run', 'crm notes import notes.csv'],
      }),
  },
}

interface Options extends SortFlag {
  readonly cursor?: string
}

function addNotesList(notes: CommandUnknownOpts, act: Act): void {
  const list = notes
    .command('list <deal-id>')
    .description('list the notes of a deal, where the server offers it; crm serve lists the newest first')
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText('after', examples('crm notes list deal_0abc', 'crm notes list deal_0abc --fields created_at,body'))
    .action(act(listNotes))
  addSortFlag(list)
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listNotes(ctx: Context, dealId: string, { cursor, sort }: Options): Promise<undefined> {
  const api = await ctx.api()
  const query = { limit: sort === undefined ? requestedLimit(ctx) : undefined, cursor, filters: {} }
  const list = { pages: api.notes(dealId).list(query), ...listOf('note'), resource: 'note', cursor } as const
  return sort === undefined ? printList(ctx, list) : printSorted(ctx, list, sort)
}

function addNotesExport(notes: CommandUnknownOpts, act: Act): void {
  const all = notes
    .command('export')
    .description('write the notes of all deals to a file, where the server lists them; if it fails, no file is written')
    .argument('<file>', EXPORT_FILE_HELP)
    .addHelpText('after', examples('crm notes export notes.csv', 'crm notes export - -o jsonl'))
    .action(act(exportNotes))
  addExportFlags(all)
  addScopedFlags(all, ['export'])
}

async function exportNotes(ctx: Context, file: string, flags: ExportFlags): Promise<undefined> {
  const { allNotes } = await ctx.exports()
  return exportList(ctx, file, { pages: allNotes(await ctx.api()), ...listOf('note') }, flags)
}

interface NoteOptions extends FieldsOptions {
  readonly body?: string
}

function addNotesAdd(notes: CommandUnknownOpts, act: Act): void {
  const add = notes
    .command('add <deal-id>')
    .description('add a note to a deal')
    .option('--body <text>', 'what the note says')
    .addHelpText('after', examples('crm notes add deal_0abc --body "Called; the contract goes out on Monday"'))
    .action(act(addNote))
  addFieldsFlags(add)
  addScopedFlags(add, ['fields', 'dryRun', 'exitCode'])
}

async function addNote(ctx: Context, dealId: string, options: NoteOptions): Promise<ExitCode | undefined> {
  const { body, set: given = [], data } = options
  if (body === undefined && given.length === 0 && data === undefined) {
    throw new CrmError('usage', 'a note needs a body', { hint: `${commandLine(ctx.argv)} --body TEXT` })
  }
  const set = body === undefined ? given : [`body=${body}`, ...given]
  const fields = await readFields(ctx, { set, data })
  const path = `/v1/deals/${encodeURIComponent(dealId)}/notes`
  if (ctx.flags.isDryRun) {
    return dryRunWrite(ctx, { write: { kind: 'create', fields }, of: (api) => api.notes(dealId), path })
  }
  const api = await ctx.api()
  return printWritten(ctx, await api.notes(dealId).create(fields, writeOptions(ctx, options)), 'note')
}
