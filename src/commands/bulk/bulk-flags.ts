import { type Command, InvalidArgumentError, Option } from 'commander'
import { CrmError } from '../../core/errors.ts'
import { RATE_SHARE } from '../../core/rate-share.ts'
import { matchHint, resourceOf } from '../../core/resources/registry.ts'
import type { Duplicates } from '../../jobs/plan/plan-format.ts'
import type { ImportRequest } from '../../jobs/plan/plan-rows.ts'
import type { RunTerms } from '../../jobs/send/services.ts'
import { collect } from '../fields-input.ts'
import { parseCount, parsePositiveTime } from '../flags.ts'
import type { Report } from './unattended.ts'

// The flags of commands that change many records: how the input is read and matched, and how the job is sent.

type ReadFlags = ImportRequest['read']
type InputFormat = NonNullable<ReadFlags['format']>

/** How the input is read; undefined parts are detected. */
export interface InputFlags {
  readonly map?: readonly string[]
  readonly null?: string
  readonly clearEmpty?: boolean
  readonly compute?: readonly string[]
  readonly format?: InputFormat
  readonly sheet?: string
  readonly encoding?: string
  readonly delimiter?: string
  readonly quote?: string
  readonly fromCsvSafe?: boolean
  readonly trim?: boolean
  readonly decimal?: NonNullable<ReadFlags['decimal']>
  readonly dateFormat?: NonNullable<ReadFlags['dateOrder']>
  readonly newField?: true
}

const FORMATS: readonly InputFormat[] = ['csv', 'tsv', 'xlsx', 'jsonl', 'json', 'yaml']

const DECIMALS: readonly NonNullable<ReadFlags['decimal']>[] = ['comma', 'point']
const DATE_ORDERS: readonly NonNullable<ReadFlags['dateOrder']>[] = ['DMY', 'MDY', 'YMD']

export function addReadFlags(command: object): void {
  const options = [
    new Option(
      '--map <column=field>',
      'what a column becomes: COLUMN=FIELD, Score=score:number, Tel=phone:phone(CH); Fax= drops it; #3=FIELD: the third (repeatable)',
    ).argParser(collect),
    new Option('--null <text>', 'a cell with this text clears the field; an empty one leaves it alone').argParser(
      parseNull,
    ),
    new Option('--clear-empty', 'an empty cell clears the field'),
    new Option('--compute <field=expr>', 'a field from a jq expression over the row (repeatable)').argParser(collect),
    new Option('--format <format>', 'of the input').choices(FORMATS),
    new Option('--sheet <name|n>', 'of an xlsx workbook; default: the first that is not hidden'),
    new Option(
      '--encoding <name>',
      'of the input, such as windows-1250 or shift_jis; mixed: UTF-8 and Windows-1252 by line',
    ).argParser(parseEncoding),
    new Option('--delimiter <char>', 'of csv: a character, or tab').argParser(parseDelimiter),
    new Option('--quote <char>', 'of csv; none: quotes are text'),
    new Option('--trim', 'take blanks off both ends of every text'),
    new Option('--decimal <mark>', 'of numbers, which may then have groups of three digits').choices(DECIMALS),
    new Option('--date-format <order>', 'of columns that --map makes dates').choices(DATE_ORDERS),
    new Option('--from-csv-safe', 'the file was written with --csv-safe: take its apostrophes off'),
  ]
  for (const option of options) (command as Command).addOption(option)
}

export function readFlags(flags: InputFlags, required: readonly string[]): ReadFlags {
  return {
    map: flags.map ?? [],
    nullToken: flags.null,
    ...(flags.clearEmpty && { isEmptyCleared: true }),
    ...(flags.newField && { isNewAllowed: true }),
    compute: flags.compute ?? [],
    format: flags.format,
    sheet: flags.sheet,
    encoding: flags.encoding,
    delimiter: flags.delimiter,
    quote: flags.quote,
    isCsvSafe: flags.fromCsvSafe === true,
    isTrimmed: flags.trim === true,
    decimal: flags.decimal,
    dateOrder: flags.dateFormat,
    required,
  }
}

function parseNull(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('Expected a text. To clear fields by empty cells: --clear-empty')
}

/** The name of the WHATWG for any of its labels. */
function parseEncoding(text: string): string {
  if (text === 'mixed') return text
  try {
    return new TextDecoder(text).encoding
  } catch {
    throw new InvalidArgumentError('Expected mixed, or a name such as utf-8, windows-1250, iso-8859-2 or shift_jis.')
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
      "a record with the same value in this field is changed; comma separated: in all of them; 'email, else phone': by phone where no email matches",
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
    .map((name) => name.trim().replace(/^else\s+/, 'else '))
    .filter(Boolean)
  const hasElse = names.some((name) => name.startsWith('else '))
  if (hasElse && (names[0]?.startsWith('else ') || names.some((name) => /^(?:else )?id$/.test(name)))) {
    throw new CrmError('usage', `--match ${JSON.stringify(match)}: expected members, or id alone`, {
      hint: "--match email, --match name,company, --match 'email, else phone'",
    })
  }
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

const MAX_OUTAGE_MS = 600_000

/** The flags of every command that sends a job. */
export interface RunFlags {
  readonly concurrency?: number
  readonly rateShare?: number
  readonly maxErrors?: RunTerms['maxErrors']
  readonly maxOutage?: number
  /** False: `--no-recheck`. */
  readonly recheck?: boolean
  readonly report?: Report
}

/** For commands that may send an upsert. */
export function addRecheckFlag(command: object): void {
  ;(command as Command).addOption(
    new Option('--no-recheck', 'do not read all records again after --match, to find duplicates'),
  )
}

export function addRunFlags(command: object): void {
  const options = [
    new Option('--concurrency <n>', 'send n requests at a time instead of adapting').argParser(parseCount),
    // No default of commander's: it would hide whether the flag was given.
    new Option('--rate-share <part>', 'of the rate that the server allows (default: 80%)').argParser(parsePart),
    new Option('--max-errors <n>', 'stop after n failed rows, or N% of them').argParser(parseRowsOrPart),
    new Option('--max-outage <time>', 'stop if no request succeeds for this long (default: 10m)').argParser(
      parsePositiveTime,
    ),
  ]
  for (const option of options) (command as Command).addOption(option)
}

export function runTerms(flags: RunFlags): RunTerms {
  return {
    concurrency: flags.concurrency,
    rateShare: flags.rateShare ?? RATE_SHARE,
    maxErrors: flags.maxErrors,
    maxOutageMs: flags.maxOutage ?? MAX_OUTAGE_MS,
    isRecheckLeftOut: flags.recheck === false,
  }
}

function parsePart(text: string): number {
  const part = percentOf(text)
  if (part === undefined || part === 0) throw new InvalidArgumentError('Expected a part such as 80%.')
  return part
}

export function parseRowsOrPart(text: string): NonNullable<RunTerms['maxErrors']> {
  const part = percentOf(text)
  if (part !== undefined) return { part }
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('Expected a number of rows, or a part of them such as 5%.')
  return { rows: Number(text) }
}

function percentOf(text: string): number | undefined {
  const percent = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text)?.[1]
  return percent === undefined || Number(percent) > 100 ? undefined : Number(percent) / 100
}
