import type { JsonObject } from '../../core/json.ts'
import type { ParentRecord } from '../../core/resources/parents.ts'
import type { CrmRecord, ImportableResource, Resource } from '../../core/resources/registry.ts'

/** Line, byte offset and length. */
export type RowPlace = readonly [line: number, offset: number, length: number]

/** The raw text of an input row, in UTF-8. */
export interface InputBytes {
  readonly line: number
  readonly bytes: Uint8Array
}

/** No line of an input: they count from 1. */
export const NO_LINE = 0

/** The `earlierLine` of a row with another text in its place: the cells may have slid. */
export const OTHER_TEXT = -1

/** Where a record of the input is. */
export interface RowSpan {
  /** The line where it starts, from 1; the header row counts. */
  readonly line: number
  /** Of its first byte, in the input as UTF-8. */
  readonly offset: number
  /** In bytes, without the line end; with `offset` it locates the row in the input. */
  readonly length: number
  /** The column of its line where it starts, from 1; undefined: where the line starts. */
  readonly position?: number
}

/** One record of the input, before anything is known about the CRM. */
export interface InputRow extends RowSpan {
  /** From an `id` column. */
  readonly id: string | undefined
  /** The deal, contact or company that a note is on. */
  readonly parent: ParentRecord | undefined
  /** The line of the previous input, which a failed-rows file names; NO_LINE where that file should name one. */
  readonly earlierLine: number | undefined
  /** Line, offset and length of the rows that were merged into this one (`--duplicates merge`), in their order. */
  readonly also?: readonly RowPlace[]
  /** In the form of the API: an absent member stays unchanged, null clears it. */
  readonly fields: JsonObject
  /** The columns whose values are still to be replaced by the ids of the records that they name. */
  readonly references?: readonly ReferenceColumn[]
  /**
   * By field, or by `deal_ids[Decision maker]` for links with a label: what is added to the values of the record, and what is
   * taken out; `fields` has what a new record gets.
   */
  readonly edits?: Readonly<Record<string, Edits>>
}

/** What `tags+` and `tags-` say. */
export interface Edits {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
  /** `add` is all that is left, of links with a label all with this one. */
  readonly isSet?: boolean
  /** The values stand in one text, with semicolons between them. */
  readonly isJoined?: boolean
  /** The values are links: see core/links.ts. */
  readonly isLink?: boolean
  /** The values are options, which the server has as numbers. */
  readonly isNumeric?: boolean
}

/** A column such as `company.domain`. */
export interface ReferenceColumn {
  readonly name: string
  readonly field: string
  readonly reference: { readonly to: Resource; readonly by: string }
  readonly edit?: ListEdit
  /** Of links. */
  readonly label?: string
}

export type ListEdit = 'add' | 'remove' | 'set'

/** A field that refers to other records, or has several values. */
export interface Relation {
  readonly field: string
  /** Undefined: its values are texts. */
  readonly to: Resource | undefined
  readonly isMany: boolean
  /** See Edits. */
  readonly isJoined?: boolean
  /** See Edits. */
  readonly isLink?: boolean
  /** It is what a note is on. */
  readonly isParent?: boolean
  /** By which columns name it. */
  readonly names: readonly string[]
}

export const INPUT_FORMATS = ['csv', 'tsv', 'xlsx', 'jsonl', 'json', 'yaml'] as const

export type InputFormat = (typeof INPUT_FORMATS)[number]

export type TextualFormat = Exclude<InputFormat, 'xlsx'>

/** How an input was encoded that is UTF-8 without a byte order mark now. */
export interface TextEncoding {
  /** A name of https://encoding.spec.whatwg.org; `mixed`: each line was UTF-8, or else Windows-1252. */
  readonly encoding: string
  readonly hasBom: boolean
  /** Lines of a mixed input that were Windows-1252. */
  readonly repaired: number
}

/** A column or member of the input, and the field that it becomes. */
export interface ColumnUse {
  /** The name in the input. */
  readonly name: string
  /** `email`, `owner.name` for a member inside, `id`, `deal_id`; undefined if it is dropped. */
  readonly field: string | undefined
  /** Of a sheet: what all cells of the column are, so that they are no texts. */
  readonly type?: 'number' | 'boolean'
  /** `--map` or the heading says that its cells are texts, whatever the record has. */
  readonly isText?: true
  /** It changes the values of records that exist. */
  readonly isEdit?: true
  /** Of links. */
  readonly label?: string
}

/** How the input is read; flags can override each part. */
export interface FormatSummary {
  readonly format: InputFormat
  /** Of xlsx: the sheet, of which this is the text. */
  readonly sheet?: string
  /** What it was before it was decoded; a name of the WHATWG, or `mixed`. */
  readonly encoding: string
  readonly hasBom: boolean
  /** Undefined except for csv, tsv and xlsx, like the next two members. */
  readonly delimiter: string | undefined
  /** Undefined if quotes are text. */
  readonly quote: string | undefined
  readonly lineEnd: '\n' | '\r\n' | '\r' | undefined
  /** The place of the header row, without its line end; undefined for formats that have none. */
  readonly head: Pick<RowSpan, 'offset' | 'length'> | undefined
  /** In the order of the input; for formats without a header row, those of the first records. */
  readonly columns: readonly ColumnUse[]
}

/** An error in one row, or in one value of it. */
export interface RowFinding {
  readonly line: number
  readonly offset: number
  /** As in InputRow. */
  readonly position?: number
  /** Of a sheet: `Sheet1!C7`. */
  readonly cell?: string
  /** The name in the input; undefined if the finding concerns the whole row. */
  readonly column: string | undefined
  /** The value, truncated if it is long. */
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
  'unknown_reference',
  'ambiguous_reference',
  'compute_failed',
  'unpaired_surrogate',
  'not_a_phone',
  'not_an_email',
  'not_a_date',
  'mixed_encoding',
  'cell_error',
  'csv_safe',
  'formula_without_value',
  'shortened_number',
] as const

export type FindingCode = (typeof FINDING_CODES)[number]

/** Counts all findings and keeps the first ones of each cause: memory does not grow with the input. */
export interface Findings {
  readonly count: number
  add(finding: RowFinding): void
  clear(): void
  /** Grouped by code and column, the largest group first. */
  groups(): readonly FindingGroup[]
  /** In the order in which they were found; without a file, the first ones of each cause. */
  all(): AsyncIterable<RowFinding>
  /** Removes the file. */
  removeFile(): void
}

export interface FindingGroup {
  readonly code: FindingCode
  readonly column: string | undefined
  readonly count: number
  /** The first ones, in the order of the input. */
  readonly samples: readonly RowFinding[]
}

/** Rows whose cells are all empty, as spreadsheets write them below the last row. */
export interface Blanks {
  readonly count: number
  /** The first ones. */
  readonly lines: readonly number[]
}

/** A row with errors, and its place in the input. */
export interface RefusedRow extends RowSpan {
  readonly findings: readonly RowFinding[]
}

export interface RowSource {
  readonly summary: FormatSummary
  /** Of the last pass, like the findings. */
  readonly blanks: Blanks
  /** The findings of the last pass so far, and those that were added. */
  readonly findings: Findings
  /**
   * One pass over the whole input, in its order, in batches of any size. Rows with a finding go to `onRefused` instead. An
   * error that makes the rest of the input unreadable (an unclosed quote) is a CrmError `invalid_input` with line and
   * column.
   */
  rows(onRefused?: (row: RefusedRow) => void): AsyncIterable<readonly InputRow[]>
  /**
   * The members of `fields` that a merge patch would change in an existing record; none if the row is unchanged.
   * A cell is compared with the text that an export prints for the member.
   */
  changes(fields: JsonObject, existing: CrmRecord): Changes
}

export interface Changes {
  readonly fields: JsonObject
  /** Those that would change from another type to text: `--map COLUMN=FIELD:boolean` was probably forgotten. */
  readonly retyped: readonly string[]
}

/** What is known of the members that records of a server have, by their names there. */
export interface ServerMembers {
  /** They are no mistakes. */
  readonly names: readonly string[]
  /** The server takes no other members. */
  readonly isClosed?: boolean
  /** Whether the server sets it itself, so that a column of an export is left out. */
  isReadOnly(name: string): boolean
  /** Whether it is a list or an object, which an export prints as JSON. */
  isNested(name: string): boolean
  /** The member that people call so; undefined if there is none, or several. */
  labelled?(label: string): string | undefined
  /** `whole` completes an id as typed; `members` are the fields that hold one. Undefined: ids are used as given. */
  readonly ids?: { readonly whole: (id: string) => string; readonly members: ReadonlySet<string> }
  /** What its values are, besides texts. */
  typeOf?(name: string): 'number' | 'boolean' | undefined
  /** The values that it may have; undefined: any. */
  choices?(name: string): Choices | undefined
}

export interface Choices {
  /** Undefined: any. */
  readonly options?: readonly { readonly value: string | number; readonly label: string }[] | undefined
  /** The field has several: in a text, with semicolons between them, or in a list. */
  readonly isMany: boolean
  readonly isList?: boolean | undefined
}

/** What a sheet of a workbook is besides its text; a line of the text is a row of the sheet. */
export interface ReadSheet {
  readonly name: string
  /** Lines for people: what else the workbook has. */
  readonly notes: readonly string[]
  /** What all cells of a column are, if that is one type; undefined: text. */
  readonly types: readonly ('number' | 'boolean' | undefined)[]
  /** Why a cell has no usable value. `column`: from 0. */
  faultAt(row: number, column: number): FindingCode | undefined
}

export interface RowOptions {
  /** A regular file, decoded; it may be read more than once. */
  readonly path: string
  readonly text: TextEncoding
  /** As named on the command line, `-` for stdin: its extension determines the format, and messages show it. */
  readonly name: string
  readonly kind: ImportableResource
  /** `--encoding`, in which the input was before it was decoded; undefined: UTF-8 or UTF-16. */
  readonly encoding: string | undefined
  /** `--format`, `--delimiter`, `--quote` (`none`: quotes are text). */
  readonly format: InputFormat | undefined
  readonly delimiter: string | undefined
  readonly quote: string | undefined
  /** `--sheet`: the name or number of a sheet. */
  readonly sheet: string | undefined
  /** The sheet of which the file is the text. */
  readonly readSheet?: ReadSheet | undefined
  /** `--map`, as typed: `Email=email,Score=score:number,Fax=`. */
  readonly map: readonly string[]
  /** `--null`: a cell with this text clears the field. */
  readonly nullToken: string | undefined
  /** `--clear-empty`: an empty cell clears its field. */
  readonly isEmptyCleared?: boolean
  /** `--compute`, as typed: `name=.first + " " + .last`. */
  readonly compute: readonly string[]
  /** `--from-csv-safe`: the file was written with `--csv-safe`, whose apostrophes are removed. */
  readonly isCsvSafe: boolean
  /** `--trim`: blanks around texts are removed. */
  readonly isTrimmed: boolean
  /** `--decimal`: how numbers are written; undefined: as in JSON. */
  readonly decimal: 'comma' | 'point' | undefined
  /** `--date-format`, for columns that are dates. */
  readonly dateOrder: 'DMY' | 'MDY' | 'YMD' | undefined
  /** Fields that every new record must have; `deal_id` for the parent of a note. */
  readonly required: readonly string[]
  /** What the server has notes on, for rows that are notes. */
  readonly parents?: readonly Resource[] | undefined
  /** Whether a row with an id changes the record with that id, and so needs no other field. */
  readonly isMatchedById?: boolean
  /** Undefined: nothing is known beside the fields of crm. */
  readonly server?: ServerMembers | undefined
  /** Undefined: none. */
  readonly relations?: readonly Relation[] | undefined
  /** `--new-field`: a name that crm and the server do not know is no mistake. */
  readonly isNewAllowed?: boolean | undefined
  /** Valid names for the stage of a deal; undefined if they are unknown. */
  readonly stages: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Prints a line for people, such as the output of `debug` in an expression. */
  readonly note: (line: string) => void
  /** The time that `--compute` uses as now. */
  readonly nowMs: number
  /** Called with the number of bytes of the input that were read in this pass. */
  readonly onBytes?: ((bytes: number) => void) | undefined
  /** The file of all findings; undefined: only the first of each cause are kept. */
  readonly findingsPath?: string | undefined
}
