import { EXIT } from '../../core/exit.ts'
import type { HelpTopic } from './help-topic.ts'

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
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
    { rows: Object.entries(EXIT).map(([name, code]) => [String(code), MEANINGS[name as keyof typeof EXIT]]) },
    'crm sandbox run ends with the exit code of its command. With -o json or jsonl the last line of stderr is an object whose error.code says more: crm schema error.',
  ],
}
