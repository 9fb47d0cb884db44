import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeInput } from '../../src/jobs/input/decode-input.ts'
import { openRows } from '../../src/jobs/input/open-rows.ts'
import type { InputRow, RowFinding, RowOptions, RowSource } from '../../src/jobs/input/row.ts'
import { tempFolder } from '../files/temp-folder.ts'

const DEFAULTS = {
  kind: 'contact',
  format: undefined,
  encoding: undefined,
  delimiter: undefined,
  quote: undefined,
  map: [],
  nullToken: undefined,
  compute: [],
  isCsvSafe: false,
  isTrimmed: false,
  sheet: undefined,
  decimal: undefined,
  dateOrder: undefined,
  required: [],
  stages: undefined,
  note: () => {},
  nowMs: 0,
} as const satisfies Partial<RowOptions>

export interface Input extends Partial<RowOptions> {
  readonly bytes: string | Uint8Array
}

export interface Reading {
  readonly source: RowSource
  readonly path: string
  readonly rows: readonly InputRow[]
  readonly findings: readonly RowFinding[]
}

/** A real file of these bytes, under the name that a person would have given. */
async function openInput({
  bytes,
  name = 'people.csv',
  ...given
}: Input): Promise<Reading['source'] & { path: string }> {
  const path = join(await tempFolder(), 'input')
  await writeFile(path, bytes)
  const signal = new AbortController().signal
  const text = await decodeInput({ path, name, asked: given.encoding })
  return { ...(await openRows({ ...DEFAULTS, path, text, name, signal, ...given })), path }
}

export async function allRows(source: Pick<RowSource, 'rows'>): Promise<readonly InputRow[]> {
  const rows: InputRow[] = []
  for await (const batch of source.rows()) rows.push(...batch)
  return rows
}

/** All of it, to the end. */
export async function read(input: Input): Promise<Reading> {
  const { path, ...source } = await openInput(input)
  const rows = await allRows(source)
  return { source, path, rows, findings: source.findings.groups().flatMap(({ samples }) => samples) }
}

export async function fieldsOf(input: Input): Promise<readonly unknown[]> {
  return (await read(input)).rows.map(({ fields }) => fields)
}
