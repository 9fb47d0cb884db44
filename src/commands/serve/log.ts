import type { Context } from '../../context.ts'
import { safeText } from '../../output/safe-text.ts'
import { jsonText } from '../../output/value-text.ts'
import type { Log, LogEntry } from '../../service/log.ts'

export const LOG_FORMATS = ['json', 'text', 'none'] as const

export type LogFormat = (typeof LOG_FORMATS)[number]

/** Writes a line per entry to stderr. Without a format, only warnings and errors, as text. */
export function openLog({ io, now }: Pick<Context, 'io' | 'now'>, format: LogFormat | undefined): Log | undefined {
  if (format === 'none') return undefined
  const lineOf = format === 'json' ? jsonText : textLine
  return (entry) => {
    if (format === undefined && entry.level === 'info') return
    io.stderr.write(`${lineOf({ time: new Date(now()).toISOString(), ...entry })}\n`)
  }
}

/** Time, level, event, then `name=value`; values with spaces or quotes are JSON strings. */
function textLine({ time, level, event, ...members }: LogEntry & { readonly time: string }): string {
  const parts = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${word(value)}`],
  )
  return [time, level, event, ...parts].join(' ')
}

function word(value: string | number): string {
  const text = safeText(String(value))
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text
}
