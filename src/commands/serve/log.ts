import { resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { jsonText, safeText } from '../../output/safe-text.ts'
import type { Log, LogEntry } from '../../service/log.ts'

export const LOG_FORMATS = ['json', 'text', 'none'] as const

export type LogFormat = (typeof LOG_FORMATS)[number]

export interface OpenLog {
  /** Undefined: nothing is logged. */
  readonly log: Log | undefined
  /** Opens the file again, which another program has renamed meanwhile. */
  reopen(): void
}

interface LogPlace {
  readonly format: LogFormat | undefined
  /** Undefined: stderr. */
  readonly file: string | undefined
}

/** Writes a line per entry. Without a format, only warnings and errors, as text. CrmError `machine` for a file that cannot be opened. */
export async function openLog({ io, now }: Pick<Context, 'io' | 'now'>, { format, file }: LogPlace): Promise<OpenLog> {
  if (format === 'none') return { log: undefined, reopen: () => {} }
  const lines =
    file === undefined
      ? toStderr(io)
      : (await import('../../service/log-file.ts')).openLogFile(resolve(file), io.stderr)
  const lineOf = format === 'json' ? jsonText : textLine
  const log: Log = (entry) => {
    if (format === undefined && entry.level === 'info') return
    lines.write(`${lineOf({ time: new Date(now()).toISOString(), ...entry })}\n`)
  }
  return { log, reopen: lines.reopen }
}

function toStderr({ stderr }: Context['io']) {
  return { write: (line: string) => void stderr.write(line), reopen: () => {} }
}

/** Time, level, event, then `name=value`; values with spaces or quotes are JSON strings. */
function textLine({ time, level, event, ...members }: LogEntry & { readonly time: string }): string {
  const parts = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${word(value)}`],
  )
  return [time, level, event, ...parts].join(' ')
}

function word(value: string | number | boolean): string {
  const text = safeText(String(value))
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text
}
