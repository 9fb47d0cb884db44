import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ImportRequest } from '../../jobs/plan/make-import.ts'
import { collect } from '../fields-input.ts'

type ReadFlags = ImportRequest['read']
type InputFormat = NonNullable<ReadFlags['format']>
type Encoding = NonNullable<ReadFlags['encoding']>

/** How the input is read; undefined parts are detected. */
export interface InputFlags {
  readonly map?: readonly string[]
  readonly null?: string
  readonly compute?: readonly string[]
  readonly format?: InputFormat
  readonly encoding?: Encoding
  readonly delimiter?: string
  readonly quote?: string
  readonly fromCsvSafe?: boolean
}

const FORMATS: readonly InputFormat[] = ['csv', 'tsv', 'jsonl', 'json', 'yaml']
const ENCODINGS: readonly Encoding[] = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']

export function addReadFlags(command: object): void {
  const options = [
    new Option(
      '--map <column=field>',
      'what a column becomes: COLUMN=FIELD, Score=score:number; Fax= drops it; #3=FIELD: the third (repeatable)',
    ).argParser(collect),
    new Option('--null <text>', 'a cell with this text clears the field; an empty one leaves it alone'),
    new Option('--compute <field=expr>', 'a field from a jq expression over the row (repeatable)').argParser(collect),
    new Option('--format <format>', 'of the input').choices(FORMATS),
    new Option('--encoding <name>', 'of the input').choices(ENCODINGS),
    new Option('--delimiter <char>', 'of csv: a character, or tab').argParser(parseDelimiter),
    new Option('--quote <char>', 'of csv; none: quotes are text'),
    new Option('--from-csv-safe', 'the file was written with --csv-safe: take its apostrophes off'),
  ]
  for (const option of options) (command as Command).addOption(option)
}

export function readFlags(flags: InputFlags, required: readonly string[]): ReadFlags {
  return {
    map: flags.map ?? [],
    nullToken: flags.null,
    compute: flags.compute ?? [],
    format: flags.format,
    encoding: flags.encoding,
    delimiter: flags.delimiter,
    quote: flags.quote,
    isCsvSafe: flags.fromCsvSafe === true,
    required,
  }
}

function parseDelimiter(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t'
  if (text.length === 1) return text
  throw new InvalidArgumentError('Expected one character, or tab.')
}
