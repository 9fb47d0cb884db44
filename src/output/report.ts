import { CrmError } from '../core/errors.ts'
import { EXIT, type ExitCode } from '../core/exit.ts'
import type { OutputStream } from '../core/streams.ts'
import { toMachineError } from '../files/machine-error.ts'
import { jsonText, safeLines, safeText } from './safe-text.ts'

/**
 * Prints for people the error, in a line or in its own lines, and the next command to type. With `-o json` or `jsonl` one JSON object as the
 * last line; its `code` is a stable interface. Any error that is not a CrmError is a bug, and is printed with its stack.
 */
export function reportError(stderr: OutputStream, thrown: unknown, argv: readonly string[]): ExitCode {
  const error = ofThisMachine(thrown)
  const isForPrograms = /^jsonl?$/.test(askedFormat(argv))
  if (!(error instanceof CrmError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    stderr.write(`crm: this is a bug\n${safeLines(stack)}\n`)
    if (isForPrograms)
      stderr.write(`${jsonText({ error: { ...NOTHING_KNOWN, code: 'bug', message: String(error) } })}\n`)
    return EXIT.bug
  }
  const { hint, lines = [error.message] } = error.details
  if (isForPrograms) stderr.write(`${jsonText({ error: errorRecord(error) })}\n`)
  else stderr.write(`${lines.map((line) => `crm: ${safeText(line)}\n`).join('')}  ${safeText(hint)}\n`)
  return error.exit
}

/** An error of the system that names a path is one of that path, wherever it was met. */
function ofThisMachine(error: unknown): unknown {
  const path = error instanceof Error && 'path' in error ? error.path : undefined
  return typeof path === 'string' ? toMachineError(error, path) : error
}

const NOTHING_KNOWN = {
  code: '',
  message: '',
  status: null,
  request_id: null,
  retryable: false,
  retry_after_ms: null,
  hint: null,
  job: null,
  idempotency_key: null,
}

/** The `error` member of a document, too. */
export function errorRecord({
  code,
  message,
  details,
}: CrmError): Record<keyof typeof NOTHING_KNOWN, string | number | boolean | null> {
  return {
    ...NOTHING_KNOWN,
    code,
    message,
    status: details.status ?? null,
    request_id: details.requestId ?? null,
    retryable: details.isRetryable ?? false,
    retry_after_ms: details.retryAfterMs ?? null,
    hint: details.hint,
    job: details.job ?? null,
    idempotency_key: details.idempotencyKey ?? null,
  }
}

/** Reads argv directly, because the error may be that argv cannot be parsed. */
function askedFormat(argv: readonly string[]): string {
  let format = 'table'
  for (const [index, word] of argv.entries()) {
    if (word === '--') break
    if (word === '-o' || word === '--output') format = argv[index + 1] ?? format
    else if (word.startsWith('--output=')) format = word.slice('--output='.length)
    else if (/^-o./.test(word)) format = word.slice(2).replace(/^=/, '')
  }
  return format
}
