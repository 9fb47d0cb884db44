import { checkRow, createBlanks } from './check-row.ts'
import { codecOf } from './codec.ts'
import { compileComputes } from './compute.ts'
import type { OpenInput, Sample } from './cut-records.ts'
import { bomBytes, type CutInput } from './cut-records.ts'
import { detectEncoding } from './detect-encoding.ts'
import { detectFormat } from './detect-format.ts'
import type { Draft } from './draft.ts'
import { changedMembers } from './failed-rows.ts'
import { createFindings } from './findings-text.ts'
import { openDelimited } from './open-delimited.ts'
import { openMembers } from './open-members.ts'
import { readHead } from './read-chunks.ts'
import type { Findings, InputFormat, InputRow, RowOptions, RowSource } from './row.ts'

const SAMPLE_BYTES = 64 * 1024

/** Detects the format of the input; CrmError for flags that do not fit it, and for unreadable input. */
export async function openRows(options: RowOptions): Promise<RowSource> {
  const { path, name, signal } = options
  const encoding = await detectEncoding({ path, name, asked: options.encoding })
  const input: CutInput = { path, name, signal, ...encoding }
  const sample = await readSample(input)
  const opened = await openFormat(options, input, options.format ?? detectFormat(name, sample.text), sample)
  const findings = createFindings()
  const blanks = createBlanks()
  const compute = await compileComputes(options)
  return {
    summary: opened.summary,
    findings,
    blanks,
    changes: (fields, existing) => changedMembers(fields, existing, opened.areCells),
    async *rows() {
      findings.clear()
      blanks.clear()
      for await (const drafts of opened.drafts((line) => blanks.add(line))) {
        await compute.run(drafts)
        for (const draft of drafts) checkRow(draft, options)
        const rows = keepValid(drafts, findings)
        if (rows.length > 0) yield rows
      }
      const slip = compute.slip(opened.summary.columns)
      if (slip) throw slip
    },
  }
}

function keepValid(drafts: readonly Draft[], findings: Findings): readonly InputRow[] {
  const rows: InputRow[] = []
  for (const draft of drafts) {
    if (draft.findings.length === 0) rows.push(draft.row)
    for (const finding of draft.findings) findings.add(finding)
  }
  return rows
}

async function readSample(input: CutInput): Promise<Sample> {
  const bytes = await readHead(input.path, SAMPLE_BYTES)
  const { units, text } = codecOf(input.encoding)
  return { text: text(units(bytes.subarray(bomBytes(input)))), isWhole: bytes.length < SAMPLE_BYTES }
}

async function openFormat(
  options: RowOptions,
  input: CutInput,
  format: InputFormat,
  sample: Sample,
): Promise<OpenInput> {
  if (format === 'csv' || format === 'tsv') return openDelimited(options, input, format, sample)
  return openMembers(options, input, format)
}
