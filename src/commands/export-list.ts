import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { commandLine } from './command-line.ts'
import type { WithFlags } from './global-flags.ts'
import type { ListPage } from './keep-matching.ts'
import type { ListCheck } from './member-check.ts'
import { checkOf, chosenPages, itemsOf, type List, recordOutput } from './print.ts'

const FORMATS = ['csv', 'tsv', 'jsonl', 'json', 'yaml'] as const

type ExportFormat = (typeof FORMATS)[number]

export const EXPORT_FILE_HELP = 'the extension names the format: csv, tsv, jsonl, json or yaml; - is stdout, with -o'

/** Writes a whole list to a file, or to stdout for `-`. */
export async function exportList(ctx: Context, file: string, list: List): Promise<undefined> {
  const { formatOfName, exportToFile, exportToStream } = await ctx.exports()
  const format = exportFormat(ctx, { named: file === '-' ? undefined : formatOfName(file), file, plural: list.plural })
  refuseCsvSafe(ctx, format)
  const plain = await recordOutput(ctx, list.columns)
  const out = { ...plain, format, signal: ctx.signal }
  const check = await checkOf(ctx, list)
  if (file === '-') {
    await exportToStream(out, itemsOf(await chosenPages(ctx, list, check)))
    await check.judge()
    return
  }
  const pages = itemsOf(judged(await chosenPages(ctx, list, check, false), check))
  const count = await exportToFile(out, file, pages).catch((cause: unknown) => {
    if (!ctx.signal.aborted) throw cause
    throw new CrmError('interrupted', `interrupted; nothing was written to ${file}`, {
      hint: commandLine(ctx.argv),
      cause,
    })
  })
  ctx.note(`${count} ${list.plural} in ${file}`)
}

/** Runs the checks before the file is renamed to its final name. */
async function* judged(pages: AsyncIterable<ListPage>, check: ListCheck): AsyncGenerator<ListPage> {
  yield* pages
  await check.judge()
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

function refuseCsvSafe({ flags }: WithFlags<'isCsvSafe'>, format: ExportFormat): void {
  if (!flags.isCsvSafe || format === 'csv' || format === 'tsv') return
  throw new CrmError('usage', `--csv-safe does not go with ${format}`, { hint: 'use -o csv or -o tsv' })
}
