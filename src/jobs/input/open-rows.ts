import { changesIn } from './changed-members.ts'
import { compileComputes } from './compute.ts'
import { openDelimited } from './delimited-rows.ts'
import { createFindings } from './findings.ts'
import { detectFormat, readHead } from './input-file.ts'
import { openMembers } from './open-members.ts'
import type { Findings, FormatSummary, InputRow, RowFinding, RowOptions, RowSource } from './row.ts'
import { checkRow, type RowDraft } from './row-draft.ts'
import { cellName, columnLetters } from './workbook/cell-names.ts'

const SAMPLE_BYTES = 64 * 1024

/** The number of blank rows that are named; a file may end in a million of them. */
const MOST_BLANKS = 1000

/** Detects the format of the input; CrmError for flags that do not fit it, and for unreadable input. */
export async function openRows(options: RowOptions): Promise<RowSource> {
  const { path, name, signal } = options
  const bytes = await readHead(path, SAMPLE_BYTES)
  const sample = { text: bytes.toString(), isWhole: bytes.length < SAMPLE_BYTES }
  const format = options.readSheet ? 'xlsx' : (options.format ?? detectFormat(name, sample.text))
  const input = { path, name, signal }
  const { summary, areCells, drafts } = await (format === 'csv' || format === 'tsv' || format === 'xlsx'
    ? openDelimited(options, input, format, sample)
    : openMembers(options, input, format))
  const findings = createFindings(options.findingsPath, (finding) => inSheet(finding, summary))
  const blanks = { count: 0, lines: [] as number[] }
  const onBlank = (line: number) => {
    if (blanks.count++ < MOST_BLANKS) blanks.lines.push(line)
  }
  const compute = await compileComputes(options)
  const texts = new Set(summary.columns.flatMap(({ field, isText }) => (isText ? (field ?? []) : [])))
  // One value may stand where the record has several.
  const mayBeText = (field: string) => texts.has(field) || options.server?.choices?.(field)?.isList === true
  return {
    summary,
    findings,
    blanks,
    changes: (fields, existing) => {
      const changes = changesIn(fields, existing, areCells)
      return { ...changes, retyped: changes.retyped.filter((field) => !mayBeText(field)) }
    },
    async *rows(onRefused) {
      findings.clear()
      Object.assign(blanks, { count: 0, lines: [] })
      for await (const batch of drafts(onBlank)) {
        await compute.run(batch)
        for (const draft of batch) checkRow(draft, options)
        const rows = keepValid(batch, findings, onRefused)
        const { offset, length } = batch.at(-1)?.row ?? { offset: 0, length: 0 }
        options.onBytes?.(offset + length)
        if (rows.length > 0) yield rows
      }
      const slip = compute.slip(summary.columns)
      if (slip) throw slip
    },
  }
}

function keepValid(
  drafts: readonly RowDraft[],
  findings: Findings,
  onRefused: Parameters<RowSource['rows']>[0],
): readonly InputRow[] {
  const rows: InputRow[] = []
  for (const draft of drafts) {
    for (const finding of draft.findings) findings.add(finding)
    if (draft.findings.length === 0) rows.push(draft.row)
    else onRefused?.({ ...draft.row, findings: draft.findings })
  }
  return rows
}

/** A finding in a sheet names its cell; the whole row is that of its first one. */
function inSheet(finding: RowFinding, { sheet, columns }: FormatSummary): RowFinding {
  if (sheet === undefined) return finding
  const named = columns.findIndex(({ name, field }) => name === finding.column || field === finding.column)
  // A cell beyond the headings.
  const at = finding.code === 'ragged_row' ? columns.length : named
  return { ...finding, cell: cellName(sheet, `${columnLetters(Math.max(0, at))}${finding.line}`) }
}
