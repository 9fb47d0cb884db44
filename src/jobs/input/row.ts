import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord, ImportableResource } from '../../core/resources/registry.ts'

/** One record of the input, before anything is known about the CRM. */
export interface InputRow {
  /** Where it starts: 1 is the first line of the input, a line of heads counts. */
  readonly line: number
  /** Of its first byte, in the input as it was given. */
  readonly offset: number
  /** In bytes, without the line end: with `offset` it finds the user's own text again. */
  readonly length: number
  /** From an `id` column. */
  readonly id: string | undefined
  /** The deal of a note. */
  readonly parent: string | undefined
  /** The line that a failed-rows file names for it: of the input before this one. */
  readonly earlierLine: number | undefined
  /** As the API takes them: a member that is absent is left alone, null clears it. */
  readonly fields: JsonObject
}

export const INPUT_FORMATS = ['csv', 'tsv', 'jsonl', 'json', 'yaml'] as const

export type InputFormat = (typeof INPUT_FORMATS)[number]

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** What a column, or a member, of the input becomes. */
export interface ColumnUse {
  /** As the input has it. */
  readonly name: string
  /** `email`, `owner.name` for a member inside, `id`, `deal_id`; undefined when it is left out. */
  readonly field: string | undefined
}

/** How the input is read: shown to people, and each part can be overridden. */
export interface Verdict {
  readonly format: InputFormat
  readonly encoding: Encoding
  readonly hasBom: boolean
  /** Of csv and tsv, as are the two below; undefined elsewhere. */
  readonly delimiter: string | undefined
  /** Undefined when quotes are text. */
  readonly quote: string | undefined
  readonly lineEnd: '\n' | '\r\n' | '\r' | undefined
  /** Where the line of heads stands, without its line end; undefined for formats that have none. */
  readonly head: Pick<InputRow, 'offset' | 'length'> | undefined
  /** In the order of the input; for formats without a line of heads what the first records have. */
  readonly columns: readonly ColumnUse[]
}

/** What is wrong with one row, or with one value of it. */
export interface Finding {
  readonly line: number
  readonly offset: number
  /** As the input names it; undefined when it is about the row. */
  readonly column: string | undefined
  /** The value, cut when it is long. */
  readonly value: string | undefined
  readonly code: FindingCode
  /** In lower case; names what was expected, without the line. */
  readonly message: string
}

export const FINDING_CODES = [
  'ragged_row',
  'bad_escape',
  'unnamed_column',
  'unknown_column',
  'not_a_number',
  'not_an_integer',
  'not_a_boolean',
  'not_json',
  'wrong_type',
  'required',
  'not_allowed',
  'duplicate_field',
  'duplicate_key',
  'no_match_value',
  'not_there',
  'compute_failed',
  'unpaired_surrogate',
] as const

export type FindingCode = (typeof FINDING_CODES)[number]

/** Counts all, keeps the first ones of each cause: memory does not grow with the input. */
export interface Findings {
  readonly count: number
  add(finding: Finding): void
  clear(): void
  /** Grouped by code and column, the largest group first. */
  groups(): readonly FindingGroup[]
}

export interface FindingGroup {
  readonly code: FindingCode
  readonly column: string | undefined
  readonly count: number
  /** The first ones, in the order of the input. */
  readonly samples: readonly Finding[]
}

/** Rows of cells that hold nothing, as spreadsheets leave behind. */
export interface Blanks {
  readonly count: number
  /** The first ones. */
  readonly lines: readonly number[]
}

export interface RowSource {
  readonly verdict: Verdict
  /** Of the last pass, as the findings are. */
  readonly blanks: Blanks
  /** What the last pass found wrong so far, and what was added to it. */
  readonly findings: Findings
  /**
   * One pass over the whole input, from its beginning, in its order; batches are of no particular size. Rows with a
   * finding are not among them. What makes the rest of the input unreadable (a quote that is never closed, invalid
   * bytes) is a CrmError `invalid_input` with its line and byte offset.
   */
  rows(): AsyncIterable<readonly InputRow[]>
  /**
   * The members of `fields` that a merge patch would change in a record that is there; none when the row is unchanged.
   * A cell is compared with the text that an export prints for the member.
   */
  changes(fields: JsonObject, existing: CrmRecord): Changes
}

export interface Changes {
  readonly fields: JsonObject
  /** Of those the ones that would become a text, and are none now: `--map COLUMN=FIELD:boolean` was forgotten. */
  readonly retyped: readonly string[]
}

export interface RowOptions {
  /** A regular file; nothing but it is read, and as often as needed. */
  readonly path: string
  /** As the person named it, `-` for stdin: its ending tells the format, and messages show it. */
  readonly name: string
  readonly kind: ImportableResource
  /** `--format`, `--encoding`, `--delimiter`, `--quote` (`none`: quotes are text). */
  readonly format: InputFormat | undefined
  readonly encoding: Encoding | undefined
  readonly delimiter: string | undefined
  readonly quote: string | undefined
  /** `--map`, as typed: `Email=email,Score=score:number,Fax=`. */
  readonly map: readonly string[]
  /** `--null`: a cell with this text clears the field. */
  readonly nullToken: string | undefined
  /** `--compute`, as typed: `name=.first + " " + .last`. */
  readonly compute: readonly string[]
  /** `--from-csv-safe`: cells and heads were written with `--csv-safe`, whose apostrophes are taken off. */
  readonly isCsvSafe: boolean
  /** Fields that every row must have; `deal_id` for the parent of a note. */
  readonly required: readonly string[]
  /** Names that a deal's stage may have; undefined when they are not known. */
  readonly stages: readonly string[] | undefined
  readonly signal: AbortSignal
  /** A line for people, such as what `debug` in an expression says. */
  readonly note: (line: string) => void
  /** The time that `--compute` uses as now. */
  readonly nowMs: number
}
