import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { temporaryFolder } from '../core/streams.ts'
import type { SpreadsheetMarks } from '../output/record-output.ts'
import { commandLine } from './command-line.ts'
import type { WithFlags } from './global-flags.ts'
import { checkOf, chosenPages, itemsOf, judged, type List, recordOutput } from './print.ts'

const FORMATS = ['csv', 'tsv', 'jsonl', 'json', 'yaml'] as const

type ExportFormat = (typeof FORMATS)[number]

export const EXPORT_FILE_HELP = 'the extension names the format: csv, tsv, jsonl, json or yaml; - is stdout, with -o'

export interface ExportFlags {
  /** `--types`: headers state the types of their columns. */
  readonly types?: boolean
  /** `--for`. */
  readonly for?: 'excel'
}

export function addExportFlags(command: object): void {
  const options = [
    new Option('--types', 'csv, tsv: state types in the header row (score:number), so that an import keeps them'),
    new Option(
      '--for <program>',
      'csv: a byte order mark, semicolons and decimal commas where the locale has them',
    ).choices(['excel']),
  ]
  for (const option of options) (command as Command).addOption(option)
}

/** Writes a whole list to a file, or to stdout for `-`. */
export async function exportList(
  ctx: Context,
  file: string,
  list: List,
  { types = false, for: program }: ExportFlags = {},
): Promise<undefined> {
  const { formatOfName, exportToFile, exportToStream, exportTyped } = await ctx.exports()
  const format = exportFormat(ctx, { named: file === '-' ? undefined : formatOfName(file), file, plural: list.plural })
  const isDelimited = format === 'csv' || format === 'tsv'
  for (const [flag, isGiven] of [['--csv-safe', ctx.flags.isCsvSafe] as const, ['--types', types] as const])
    if (isGiven && !isDelimited) throw refuseFor(flag, format)
  if (program && format !== 'csv') throw refuseFor('--for excel', format)
  const plain = await recordOutput(ctx, list.columns)
  const spreadsheet = program && marksOf(ctx.env)
  const out = { ...plain, format, spreadsheet, signal: ctx.signal }
  const check = await checkOf(ctx, list)
  const write = (pages: Parameters<typeof exportToStream>[1]) => {
    if (types) return exportTyped(out, file, pages, temporaryFolder(ctx.env))
    return file === '-' ? exportToStream(out, pages) : exportToFile(out, file, pages)
  }
  if (file === '-') {
    await write(itemsOf(await chosenPages(ctx, list, check)))
    await check.judge()
    return
  }
  const pages = itemsOf(judged(await chosenPages(ctx, list, check, false), check))
  const count = await write(pages).catch((cause: unknown) => {
    if (!ctx.signal.aborted) throw cause
    throw new CrmError('interrupted', `interrupted; nothing was written to ${file}`, {
      hint: commandLine(ctx.argv),
      cause,
    })
  })
  ctx.note(`${count} ${list.plural} in ${file}`)
  if (spreadsheet?.decimal === ',')
    ctx.note('Its numbers have decimal commas: an import reads them with --decimal comma.')
}

/** Of the locale that POSIX takes for numbers. Swiss programs write decimal points, and expect semicolons all the same. */
function marksOf({ LC_ALL, LC_NUMERIC, LANG }: Context['env']): SpreadsheetMarks {
  const locale = [LC_ALL, LC_NUMERIC, LANG].find((name) => name !== undefined && name !== '') ?? 'C'
  const [tag = 'C'] = locale.split(/[.@]/)
  const decimal = decimalOf(tag.replace('_', '-'))
  return { decimal, delimiter: decimal === ',' || /_(?:CH|LI)$/.test(tag) ? ';' : ',' }
}

function decimalOf(tag: string): string {
  // `C` and `POSIX` are no languages.
  const [known] = tag === 'C' || tag === 'POSIX' ? [] : supported(tag)
  const parts = new Intl.NumberFormat(known ?? 'en').formatToParts(1.5)
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.'
}

function supported(tag: string): readonly string[] {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag)
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

/** The format of `-o`, else that of the file extension; `table`, the default of `-o`, is not an export format. */
function exportFormat(
  { flags }: WithFlags<'output'>,
  { named, file, plural }: { readonly named: ExportFormat | undefined; readonly file: string; readonly plural: string },
): ExportFormat {
  const asked = FORMATS.find((format) => format === flags.output)
  const format = flags.output === 'table' ? named : asked
  if (format !== undefined) return format
  if (flags.output !== 'table') {
    throw new CrmError('usage', `cannot export as ${flags.output}, expected ${FORMATS.join(', ')}`, {
      hint: `crm ${plural} list -o ${flags.output} > FILE`,
    })
  }
  throw new CrmError('usage', `${JSON.stringify(file)} does not name a format, expected ${FORMATS.join(', ')}`, {
    hint: 'use one of them as the file extension, or name the format: -o jsonl',
  })
}

function refuseFor(flag: string, format: ExportFormat): CrmError {
  return new CrmError('usage', `${flag} does not go with ${format}`, { hint: 'use -o csv or -o tsv' })
}
