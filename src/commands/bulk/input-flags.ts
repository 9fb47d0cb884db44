import { type Command, InvalidArgumentError, Option } from 'commander'
import { CrmError } from '../../core/errors.ts'
import { matchHint, resourceOf } from '../../core/resources/registry.ts'
import type { ImportRequest } from '../../jobs/plan/make-import.ts'
import type { Duplicates } from '../../jobs/plan/repeated-rows.ts'
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

type Mode = ImportRequest['match']['mode']

const DUPLICATES: readonly Duplicates[] = ['error', 'first', 'last', 'merge']

const MODES: readonly Mode[] = ['create', 'upsert', 'update']

export interface MatchFlags {
  readonly match?: string
  readonly mode?: Mode
}

/** `how`: for commands that only change records, and for those that also create them. */
export function addMatchFlags(command: object, how: 'makes' | 'changes' = 'makes'): void {
  const options = [
    new Option(
      '--match <fields>',
      'a record with the same value in this field is changed; comma separated: in all of them',
    ),
    how === 'makes'
      ? new Option('--mode <how>', 'with --match: upsert (the default), or update, which creates none').choices(MODES)
      : new Option('--mode <how>', 'with --match: a row that matches none is left out')
          .choices(['update'])
          .argParser(parseMode),
    new Option('--duplicates <how>', 'rows with the same key of --match: error, or which of them count').choices(
      DUPLICATES,
    ),
  ]
  for (const option of options) (command as Command).addOption(option)
}

/** Accepts modes that create records, so that they can be refused with a specific message later. */
function parseMode(text: string): string {
  if ((MODES as readonly string[]).includes(text)) return text
  throw new InvalidArgumentError('Expected update.')
}

/** Refuses modes that create records: an update or a deletion applies to existing records only. */
export function rejectCreateMode(
  { mode }: MatchFlags,
  { noun, kind }: { readonly noun: ImportRequest['noun']; readonly kind: 'update' | 'delete' },
): void {
  if (mode === undefined || mode === 'update') return
  throw new CrmError('usage', `--mode ${mode} creates records, and ${kind} does not`, {
    hint: `leave --mode out; crm ${noun} import creates those that do not exist`,
  })
}

export function matchRequest({ match, mode }: MatchFlags, noun: ImportRequest['noun']): ImportRequest['match'] {
  const names = (match ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  if (names.length === 0 && mode !== undefined && mode !== 'create') {
    throw new CrmError('usage', `--mode ${mode} needs --match`, {
      hint: `--match ${matchHint(resourceOf(noun))} --mode ${mode}`,
    })
  }
  if (names.length > 0 && mode === 'create') {
    throw new CrmError('usage', '--mode create creates a record for every row, so --match does not apply', {
      hint: 'leave one of --match and --mode out',
    })
  }
  return { names, mode: mode ?? (names.length > 0 ? 'upsert' : 'create') }
}
