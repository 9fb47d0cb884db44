import { EXIT } from '../../core/exit.ts'
import type { Format } from '../../output/record-output.ts'

/** A page of help that belongs to no single command. The same parts become text and a section of a man page. */
export interface HelpTopic {
  readonly title: string
  readonly parts: readonly HelpPart[]
}

/** A paragraph, or terms with what they mean. */
export type HelpPart =
  | string
  | { readonly heading?: string; readonly rows: readonly (readonly [term: string, meaning: string])[] }

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done; also: nothing was found, or the reader closed the pipe',
  bug: 'a bug in crm, or a failure that nothing below describes',
  usage: 'a mistake in the command or in its input; nothing was sent',
  partial: 'partly done, or in doubt: some records failed, or it is unknown whether they were written',
  noKey: 'no key, or the server does not accept it (401)',
  forbidden: 'the key may not do this (403), or a protected profile forbids it',
  notFound: 'not found (404, 410)',
  rejected: 'the server rejects it (400, 409, 412, 422), or cannot do it',
  rateLimited: 'still rate limited after --max-wait',
  unreachable: 'unreachable, timed out, or 5xx after retries',
  differences: 'differences: crm diff always; with --exit-code also --dry-run, --plan and fixtures plan',
  unconfirmed: 'a confirmation was needed and not given',
  notInTime: 'an awaited event was not received in time',
  machine: 'a failure of this machine: port, disk, permission, database file',
  interrupted: 'interrupted; jobs can be resumed',
  terminated: 'the same, by SIGTERM',
}

export const EXIT_CODES_TOPIC: HelpTopic = {
  title: 'Exit codes',
  parts: [
    'Scripts may branch on these; they do not change.',
    { rows: Object.entries(EXIT).map(([name, code]) => [String(code), EXIT_MEANINGS[name as keyof typeof EXIT]]) },
    'crm sandbox run ends with the exit code of its command. With -o json or jsonl the last line of stderr is an object whose error.code says more: crm schema error.',
  ],
}

export const ENVIRONMENT_TOPIC: HelpTopic = {
  title: 'Environment',
  parts: [
    'With CRM_API_KEY and CRM_BASE_URL every command works in an empty home directory, and writes only requested files, and its own compiled code to a cache.',
    {
      rows: [
        ['CRM_API_KEY', 'the key; overrides that of the profile'],
        ['CRM_BASE_URL', 'the address of the CRM; overrides that of the profile'],
        ['CRM_CONNECTOR', 'how the CRM speaks: a shipped connector, or the path of a file'],
        ['CRM_INSECURE_HTTP', '1: accept plain http to CRM_BASE_URL beyond this machine'],
        ['CRM_SANDBOX_KEY', 'the key of crm sandbox, else a random one'],
        ['CRM_PROFILE', 'the profile, when -p does not name one'],
        ['CRM_CONFIG_HOME', 'where profiles and keys are kept; else XDG_CONFIG_HOME/crm, else ~/.config/crm'],
        ['CRM_STATE_HOME', 'where bulk jobs and events are kept; else XDG_STATE_HOME/crm, else ~/.local/state/crm'],
        ['XDG_DATA_HOME', 'where crm serve keeps its database: crm/crm.db in there, else in ~/.local/share'],
        ['XDG_CACHE_HOME', 'where an installed crm keeps its compiled code: crm in there, else in ~/.cache'],
        ['NODE_DISABLE_COMPILE_CACHE', '1: it keeps none'],
        ['NO_COLOR, FORCE_COLOR', 'colour off, colour on; --color overrides both'],
        ['CLICOLOR, CLICOLOR_FORCE', '0: colour off; 1: colour on; the two above override them'],
        ['CI', 'when set, nothing prompts'],
        ['CRM_PAGER, PAGER', 'the pager for lists on a terminal; empty or cat for none'],
        ['VISUAL, EDITOR', 'what crm browse edits a record with'],
        ['HTTPS_PROXY, NO_PROXY', 'the proxy to the server; never used for plain http'],
        ['SSL_CERT_FILE', 'trust the certificates in this file instead of the usual ones'],
      ],
    },
    '-p beside CRM_API_KEY or CRM_BASE_URL is an error: they might mean two different places.',
  ],
}

const FORMAT_MEANINGS: Readonly<Record<Format, string>> = {
  table: 'columns; complete in a pipe, as many as fit on a terminal',
  json: 'one valid document: an array for lists, [] when empty, an object for one record',
  jsonl: 'one record per line',
  csv: 'RFC 4180: a header row, then a line per record',
  tsv: 'a header row, then a line per record; tabs and line ends are escaped with backslashes',
  yaml: 'one list, or one record',
  id: 'one id per line, for commands that read ids from -',
}

export const OUTPUT_TOPIC: HelpTopic = {
  title: 'Output',
  parts: [
    'stdout carries data only; progress, notes, prompts and errors go to stderr. Whether stdout is a terminal changes decoration, never data. Stdin is read only where - names it.',
    { rows: Object.entries(FORMAT_MEANINGS).map(([format, meaning]) => [`-o ${format}`, meaning]) },
    {
      rows: [
        ['--fields a,b.c', 'only these members; they fix the columns of csv and tsv'],
        ['--where EXPR', 'keep the records for which this jq expression is true'],
        ['--where-errors HOW', 'for records that it fails on: stop, or skip and count them'],
        ['--jq EXPR', 'print the result of jq for the whole list (json) or for each record (jsonl)'],
        ['--limit N', 'stop after N records; without it lists are complete'],
        ['--csv-safe', 'an apostrophe before cells that a spreadsheet would execute; csv and tsv'],
      ],
    },
    'crm schema COMMAND prints the JSON Schema of what a command prints with -o json, before --fields and --jq.',
    'Foreign text is made safe for display: control characters and escape sequences are shown, not executed. JSON is left as JSON escapes.',
    'An error is two lines on stderr: what happened, and what to type next. With -o json or jsonl it is one JSON object, the last line of stderr: crm schema error.',
  ],
}
