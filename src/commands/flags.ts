import { type Command, InvalidArgumentError, Option } from 'commander'
import { durationText, MAX_DURATION_MS, parseDurationMs } from '../core/duration.ts'
import { CrmError } from '../core/errors.ts'
import { PROGRESS_FLAGS } from '../output/progress.ts'
import { type Format, OUTPUT_FORMATS, parseFields } from '../output/record-output.ts'
import { COLOR_FLAGS } from '../output/terminal-text.ts'
import type { GlobalFlags } from './global-flags.ts'

const WHERE_ERRORS: readonly GlobalFlags['whereErrors'][] = ['stop', 'skip']

/** Flags of some commands; the others refuse them instead of ignoring them. */
const SCOPED = {
  where: () => new Option('--where <expr>', 'only records for which this jq expression is true'),
  whereErrors: () =>
    new Option('--where-errors <how>', 'records that --where fails on: stop, or skip and count them')
      .choices(WHERE_ERRORS)
      .default('stop'),
  limit: () => new Option('--limit <n>', 'stop after n records').argParser(parseCount),
  fields: () => new Option('--fields <names>', 'only these members, comma separated; a.b reaches inside'),
  jq: () => new Option('--jq <expr>', 'print the result of jq for the whole (json) or for each record (jsonl)'),
  csvSafe: () => new Option('--csv-safe', 'put an apostrophe before cells that a spreadsheet would execute'),
  progress: () => new Option('--progress <how>', 'on stderr').choices(PROGRESS_FLAGS).default('auto'),
  pager: () => new Option('--no-pager', 'print straight to the terminal'),
  yes: () => new Option('-y, --yes', 'confirm without a prompt'),
  dryRun: () => new Option('--dry-run', 'show what would be sent, and change nothing'),
  exitCode: (command?: Command) => {
    const plan = hasFlag(command, '--plan') ? ' or --plan' : ''
    return new Option(
      '--exit-code',
      `${hasFlag(command, '--dry-run') ? `with --dry-run${plan}: ` : ''}exit 10 if something would change`,
    )
  },
} as const

export type ScopedFlag = keyof typeof SCOPED

/** Commands that print records also take expressions; those that print lists also filter and page. */
const TOGETHER: Partial<Record<ScopedFlag | 'export', readonly ScopedFlag[]>> = {
  fields: ['fields', 'jq', 'csvSafe'],
  where: ['where', 'whereErrors', 'progress', 'pager'],
  export: ['fields', 'csvSafe', 'where', 'whereErrors', 'progress'],
}

const GLOBAL = {
  output: () => new Option('-o, --output <format>', 'output format').choices(OUTPUT_FORMATS).default('table'),
  profile: () => new Option('-p, --profile <name>', 'use this profile'),
  input: () => new Option('--no-input', 'never prompt'),
  quiet: () => new Option('-q, --quiet', 'no notes on stderr, only errors'),
  debug: () => new Option('--debug', 'log each request on stderr'),
  timeout: () =>
    new Option('--timeout <time>', 'timeout of one request').argParser(parsePositiveTime).default(30_000, '30s'),
  maxWait: () =>
    new Option('--max-wait <time>', 'longest wait for limits and outages').argParser(parseTime).default(60_000, '60s'),
  color: () => new Option('--color <when>', 'colour').choices(COLOR_FLAGS).default('auto'),
  keyFile: () => new Option('--key-file <file>', 'read the API key from this file'),
  keyStdin: () => new Option('--key-stdin', 'read the API key from stdin'),
} as const

/**
 * Adds scoped flags to a command: `fields` if it prints records, `where` if it lists them, `export` if it writes them to a
 * file.
 */
export function addScopedFlags(command: object, flags: readonly (ScopedFlag | 'export')[]): void {
  const wanted = new Set(flags.flatMap((flag): readonly string[] => TOGETHER[flag] ?? [flag]))
  for (const flag of Object.keys(SCOPED) as ScopedFlag[]) {
    if (wanted.has(flag)) (command as Command).addOption(SCOPED[flag](command as Command))
  }
}

const GLOBAL_GROUP = 'Global options:'

/**
 * Every command has the global flags itself, so that they work before and after its name, and are not confused with its
 * arguments. They are added to the commands on the path to the one that runs.
 */
export function addGlobalFlags(command: Command): void {
  if (!command.parent) for (const declare of Object.values(SCOPED)) command.addOption(declare().hideHelp())
  // The help of verbs shows the global flags; that of nouns is short.
  const isShown = !command.parent || command.options.length > 0 || command.commands.length === 0
  for (const declare of Object.values(GLOBAL)) {
    const option = declare()
    // A command may define its own --timeout.
    if (command.options.some(({ long }) => long === option.long)) continue
    command.addOption(option.helpGroup(GLOBAL_GROUP).hideHelp(!isShown))
  }
  command.enablePositionalOptions()
  command.hook('preSubcommand', (_, child) => addGlobalFlags(child))
}

function definesItself(command: Command, name: string): boolean {
  return command.options.some((option) => option.attributeName() === name && option.helpGroupHeading !== GLOBAL_GROUP)
}

/** The flag nearest to the command's own arguments wins; one of the same name that the command defines itself is another. */
export function readGlobalFlags(leaf: Command): GlobalFlags {
  const above: Command[] = []
  for (let next = leaf.parent; next; next = next.parent) above.push(next)
  const holders = (name: string) =>
    Object.hasOwn(GLOBAL, name) && definesItself(leaf, name) ? above : [leaf, ...above]
  const given = (name: string) => holders(name).find((command) => command.getOptionValueSource(name) === 'cli')
  const value = (name: string) => (given(name) ?? holders(name)[0])?.getOptionValue(name)

  for (const flag of Object.keys(SCOPED) as ScopedFlag[]) {
    const option = SCOPED[flag]()
    if (!given(flag) || leaf.options.some(({ long }) => long === option.long)) continue
    throw new CrmError('usage', `${option.long} does not apply to '${commandPath(leaf)}'`, {
      hint: `${commandPath(leaf)} --help`,
    })
  }
  if (value('exitCode') && !value('dryRun') && value('plan') === undefined) refuseSentExit(leaf)
  const output = outputFormat(value('jq') !== undefined, given('output') ? value('output') : undefined)
  const canNameFile = leaf.registeredArguments.some((argument) => argument.name() === 'file')
  if (value('csvSafe') && !canNameFile && output !== 'csv' && output !== 'tsv') {
    throw new CrmError('usage', `--csv-safe does not go with -o ${output}`, { hint: 'use -o csv or -o tsv' })
  }
  return {
    profile: value('profile'),
    output,
    fields: value('fields') === undefined ? undefined : parseFields(value('fields')),
    limit: value('limit'),
    where: value('where'),
    whereErrors: value('whereErrors') ?? 'stop',
    jq: value('jq'),
    isCsvSafe: value('csvSafe') === true,
    progress: value('progress') ?? 'auto',
    isPagerAllowed: value('pager') !== false,
    isInputAllowed: value('input') !== false,
    isConfirmed: value('yes') === true,
    isDryRun: value('dryRun') === true,
    isExitCodeWanted: value('exitCode') === true,
    isQuiet: value('quiet') === true,
    isDebug: value('debug') === true,
    timeoutMs: value('timeout'),
    maxWaitMs: value('maxWait'),
    color: value('color'),
    keyFile: value('keyFile'),
    isKeyOnStdin: value('keyStdin') === true,
  }
}

function hasFlag(command: Command | undefined, flag: string): boolean {
  return command?.options.some(({ long }) => long === flag) === true
}

/** CrmError `usage` for --exit-code without --dry-run or --plan: the change would be sent. */
function refuseSentExit(leaf: Command): void {
  if (!hasFlag(leaf, '--dry-run')) return
  throw new CrmError(
    'usage',
    '--exit-code reports what would change, but this command would send it; nothing was sent',
    {
      hint: `add --dry-run${hasFlag(leaf, '--plan') ? ' (or --plan FILE, of many)' : ''}, or leave it out`,
    },
  )
}

/** A list without -o: the repository file may set the format. */
export function isFormatOpen(leaf: Command): boolean {
  if (leaf.name() !== 'list') return false
  for (let command: Command | null = leaf; command; command = command.parent) {
    if (['output', 'jq'].some((name) => command?.getOptionValueSource(name) === 'cli')) return false
  }
  return true
}

/** The result of an expression need not be a record, so it is printed as JSON. */
function outputFormat(hasJq: boolean, given: Format | undefined): Format {
  if (!hasJq) return given ?? 'table'
  if (given === undefined || given === 'json' || given === 'jsonl') return given ?? 'json'
  throw new CrmError('usage', `--jq does not go with -o ${given}`, {
    hint: 'use -o json, where it sees the whole list, or -o jsonl, where it sees each record; @csv and @tsv make lines',
  })
}

/** The full name of a command: `crm contacts list`. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name()
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Expected a whole number above 0.')
  return Number(text)
}

/** For times that must not be 0. */
export function parsePositiveTime(text: string): number {
  const timeMs = parseTime(text)
  if (timeMs === 0) throw new InvalidArgumentError('Expected a time above 0.')
  return timeMs
}

export function parseTime(text: string): number {
  const timeMs = parseDurationMs(text)
  if (timeMs === undefined) throw new InvalidArgumentError('Expected a time such as 500ms, 30s, 5m, 2h or 30d.')
  if (timeMs > MAX_DURATION_MS) throw new InvalidArgumentError(`Expected ${durationText(MAX_DURATION_MS)} at most.`)
  return timeMs
}

/** `--filter k=v` as query parameters; what they mean is up to the server. Values of one key are alternatives. */
export function parseFilters(texts: readonly string[]): Readonly<Record<string, string>> {
  const filters = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) {
      throw new CrmError('usage', `--filter ${JSON.stringify(text)} is not key=value`, {
        hint: "expected a parameter of the server, such as --filter stage=Won or --filter 'amount[gte]=1000'",
      })
    }
    const [key, value] = [text.slice(0, at), text.slice(at + 1)]
    const before = filters.get(key)
    filters.set(key, before === undefined ? value : `${before},${value}`)
  }
  return Object.fromEntries(filters)
}

/** `contacts,companies`. */
export function parseNouns(text: string): readonly string[] {
  return text.split(',').map((noun) => noun.trim())
}
