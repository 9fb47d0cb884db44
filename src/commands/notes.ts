import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import type { ExitCode } from '../core/exit.ts'
import { noParent, type ParentRecord } from '../core/resources/parents.ts'
import { RECORD_RESOURCES, RESOURCES, resourceNamed } from '../core/resources/registry.ts'
import { commandLine, withFlag, withoutFlags } from './command-line.ts'
import { type CommandGroup, examples } from './command-tree.ts'
import { chosenConnector, dryRunWrite } from './dry-run.ts'
import { addExportFlags, EXPORT_FILE_HELP, type ExportFlags, exportList } from './export-list.ts'
import { addFieldsFlags, type FieldsOptions, readFields, writeOptions } from './fields-input.ts'
import { addScopedFlags } from './flags.ts'
import { listOf, printList, printWritten, requestedLimit } from './print.ts'
import { addDeleteByIds } from './records/delete.ts'
import { addImport } from './records/import.ts'
import { addSortFlag, printSorted, type SortFlag } from './sorted-list.ts'

export const NOTES_COMMANDS: CommandGroup = {
  description: 'the notes on deals and, where the server has them, on other records',
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
        description:
          'add notes from a file with the columns body and deal_id, contact_id or company_id, or contact.email, company.domain; - reads stdin',
        examples: ['crm notes import notes.csv --dry-run', 'crm notes import notes.csv'],
      }),
  },
}

interface OnFlag {
  readonly on: string
}

interface Options extends SortFlag, OnFlag {
  readonly cursor?: string
}

const ON = 'what the record is: deals, or what else the server takes notes on, such as contacts'

function addNotesList(notes: CommandUnknownOpts, act: Act): void {
  const list = notes
    .command('list <record-id>')
    .description('list the notes on a record, where the server offers it; crm serve lists the newest first')
    .option('--on <noun>', ON, 'deals')
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText(
      'after',
      examples(
        'crm notes list deal_0abc',
        'crm notes list 20021 --on contacts',
        'crm notes list deal_0abc --fields created_at,body',
      ),
    )
    .action(act(listNotes))
  addSortFlag(list)
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listNotes(ctx: Context, id: string, { on, cursor, sort }: Options): Promise<undefined> {
  const parent = await parentOf(ctx, id, on)
  const api = await ctx.api()
  const query = { limit: sort === undefined ? requestedLimit(ctx) : undefined, cursor, filters: {} }
  const list = { pages: api.notes(parent).list(query), ...listOf('note'), resource: 'note', cursor } as const
  return sort === undefined ? printList(ctx, list) : printSorted(ctx, list, sort)
}

/** CrmError `usage` for what the server takes no notes on, and for the id of another kind of record. */
async function parentOf(ctx: Context, id: string, noun: string): Promise<ParentRecord> {
  const named = await chosenConnector(ctx)
  const { connectorDocument } = await import('../api/connectors/open-connector.ts')
  const { parentsIn } = await import('../connector/of-parent.ts')
  const document = await connectorDocument(named ?? { name: 'crm' })
  if (!resourceNamed(noun)) await (await import('./server-objects.ts')).defineServerObjects(ctx, noun)
  const kinds = parentsIn(document, 'note')
  const of = kinds.find((each) => [RESOURCES[each].plural, RESOURCES[each].singular].some((word) => word === noun))
  if (!of) throw noParent(document.name, kinds, resourceNamed(noun) ?? noun)
  const other = RECORD_RESOURCES.find((each) => each !== of && id.startsWith(RESOURCES[each].idPrefix))
  if (!other) return { of, id }
  if (!kinds.includes(other)) throw noParent(document.name, kinds, other, id)
  throw new CrmError('usage', `${id} is the id of a ${other}, not of a ${of}`, {
    hint: other === 'deal' ? withoutFlags(ctx.argv, '--on') : withFlag(ctx.argv, '--on', RESOURCES[other].plural),
  })
}

function addNotesExport(notes: CommandUnknownOpts, act: Act): void {
  const all = notes
    .command('export')
    .description('write all notes to a file, where the server lists them; if it fails, no file is written')
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

interface NoteOptions extends FieldsOptions, OnFlag {
  readonly body?: string
}

function addNotesAdd(notes: CommandUnknownOpts, act: Act): void {
  const add = notes
    .command('add <record-id>')
    .description('add a note to a record')
    .option('--on <noun>', ON, 'deals')
    .option('--body <text>', 'what the note says')
    .addHelpText(
      'after',
      examples(
        'crm notes add deal_0abc --body "Called; the contract goes out on Monday"',
        'crm notes add 20021 --on contacts --body "Prefers to be called in the morning"',
      ),
    )
    .action(act(addNote))
  addFieldsFlags(add)
  addScopedFlags(add, ['fields', 'dryRun', 'exitCode'])
}

async function addNote(ctx: Context, id: string, options: NoteOptions): Promise<ExitCode | undefined> {
  const { body, on, set: given = [], data } = options
  if (body === undefined && given.length === 0 && data === undefined) {
    throw new CrmError('usage', 'a note needs a body', { hint: `${commandLine(ctx.argv)} --body TEXT` })
  }
  const parent = await parentOf(ctx, id, on)
  const set = body === undefined ? given : [`body=${body}`, ...given]
  const fields = await readFields(ctx, { set, data })
  if (ctx.flags.isDryRun) {
    // Without a connector, it is that of the contract.
    const path = `/v1/deals/${encodeURIComponent(id)}/notes`
    return dryRunWrite(ctx, { write: { kind: 'create', fields }, of: (api) => api.notes(parent), path })
  }
  const api = await ctx.api()
  return printWritten(ctx, await api.notes(parent).create(fields, writeOptions(ctx, options)), 'note')
}
