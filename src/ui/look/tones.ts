import type { JsonValue } from '../../core/json.ts'
import type { Tone } from './theme.ts'

const COUNTS_OF_FAILURES: ReadonlySet<string> = new Set(['failed', 'still_failed', 'failing', 'in_doubt'])

/** The tone of a cell; undefined where its value says nothing about success. */
export function toneOf(column: string, value: JsonValue | undefined): Tone | undefined {
  if (value === null || value === undefined) return undefined
  if (COUNTS_OF_FAILURES.has(column)) return Number(value) > 0 ? 'bad' : 'dim'
  if (column === 'unchanged') return 'dim'
  if (column === 'stage') return stageTone(String(value))
  if (column === 'last') return resultTone(String(value))
  if (column === 'state' || column === 'status') return stateTone(String(value))
  return column === 'id' || column.endsWith('_id') || column.endsWith('_at') ? 'dim' : undefined
}

export function stageTone(stage: string): Tone | undefined {
  if (/\bwon\b/i.test(stage)) return 'good'
  return /\blost\b/i.test(stage) ? 'dim' : undefined
}

const STATES: readonly (readonly [RegExp, Tone])[] = [
  [/^(?:damaged|disabled|rejected)\b/, 'bad'],
  [/^(?:stopped|paused)\b/, 'warn'],
  [/^(?:running|planned)\b/, 'accent'],
  [/^(?:finished|enabled|active|delivered)\b/, 'good'],
]

/** Of a job or subscription by its first word; of an event by its last result, as `verified -> 503 x2, 200`. */
function stateTone(state: string): Tone | undefined {
  const found = STATES.find(([pattern]) => pattern.test(state))
  if (found) return found[1]
  const [, result = ''] = /(?:^|-> |, )([^,>]+?)(?: x\d+)?$/.exec(state) ?? []
  return resultTone(result) ?? (state.includes('UNVERIFIED') ? 'warn' : undefined)
}

/** `200`, `503`, `exit 1`, `no answer`. */
export function resultTone(result: string): Tone | undefined {
  if (/^(?:2\d\d|exit 0)\b/.test(result)) return 'good'
  if (/^4\d\d\b/.test(result)) return 'warn'
  return /^(?:5\d\d|exit |no answer)/.test(result) ? 'bad' : undefined
}
