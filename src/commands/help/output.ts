import type { Format } from '../../output/record-output.ts'
import type { HelpTopic } from './help-topic.ts'

const MEANINGS: Readonly<Record<Format, string>> = {
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
    { rows: Object.entries(MEANINGS).map(([format, meaning]) => [`-o ${format}`, meaning]) },
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
