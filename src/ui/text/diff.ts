import { isJsonObject, isSameJson, type JsonObject, type JsonValue, jsonIn, memberOf } from '../../core/json.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import { grouped } from '../../output/progress.ts'
import { cellText, jsonText, safeText } from '../../output/safe-text.ts'
import { textWidth, wrapText } from '../../output/terminal-text.ts'
import { fitCell, shortTime, type TimeStyle } from '../list/columns.ts'
import type { Edit } from '../list/list-state.ts'
import type { Theme } from '../look/theme.ts'
import type { DiffLine } from '../overlay.ts'
import type { RecordHistory } from '../state.ts'
import { recordName } from './change-text.ts'

export function diffText(line: DiffLine): string {
  return diffParts(line)
    .map(({ text }) => text)
    .join('')
}

export type DiffPart = { readonly text: string; readonly as: 'plain' | 'old' | 'new' }

/** `(none)` stands for an empty value. */
function diffParts({ label, old, new: next, count }: DiffLine): readonly DiffPart[] {
  const number = count > 1 ? ` (${grouped(count)})` : ''
  if (label === 'created' || label === 'delete') {
    const part = { text: next ?? old ?? '', as: next === undefined ? ('old' as const) : ('new' as const) }
    return [{ text: `${label}: `, as: 'plain' }, part]
  }
  return [
    { text: `${label}: `, as: 'plain' },
    { text: old ?? '(none)', as: 'old' },
    { text: ' -> ', as: 'plain' },
    { text: next ?? '(none)', as: 'new' },
    { text: number, as: 'plain' },
  ]
}

/** Old values are red and new ones green; the arrow tells them apart without colour. */
export function diffLine(line: DiffLine, width: number, theme: Theme): string {
  let left = width - 2
  let text = '  '
  for (const { text: part, as } of diffParts(line)) {
    const fitted = textWidth(part) <= left ? part : fitCell(part, left)
    left -= textWidth(fitted)
    text += as === 'plain' ? fitted : as === 'old' ? theme.bad(fitted) : theme.good(fitted)
  }
  return text + ' '.repeat(left)
}

const LONGEST = 60

/** The changes of all edits; equal ones are one line, the most frequent first. */
export function editDiff(edits: readonly Edit[]): readonly DiffLine[] {
  const groups = new Map<string, { line: DiffLine; count: number; first: CrmRecord }>()
  for (const { row, patch } of edits) {
    for (const [member, value] of Object.entries(patch)) {
      const before = row[member] ?? null
      const key = `${member}\n${JSON.stringify(before)}\n${JSON.stringify(value)}`
      const group = groups.get(key)
      if (group) group.count++
      else {
        const line = valueChange(member, before, value)
        groups.set(key, { line, count: 1, first: row })
      }
    }
  }
  return Array.from(groups.values(), ({ line, count, first }) =>
    count === 1 ? { ...line, label: `${recordName(first)}  ${line.label}` } : { ...line, count },
  ).toSorted((one, other) => other.count - one.count)
}

export function deletionDiff(rows: readonly CrmRecord[]): readonly DiffLine[] {
  return rows.map((row) => ({ label: 'delete', old: recordName(row), new: undefined, count: 1 }))
}

export function creationDiff(rows: readonly CrmRecord[]): readonly DiffLine[] {
  return rows.map((row) => ({ label: 'created', old: undefined, new: recordName(row), count: 1 }))
}

function valueChange(member: string, before: JsonValue, after: JsonValue): DiffLine {
  return { label: safeText(member), old: valueText(before), new: valueText(after), count: 1 }
}

function valueText(value: JsonValue): string | undefined {
  if (value === null || value === '') return undefined
  const text = typeof value === 'string' ? value : jsonText(value)
  return safeText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
}

export type PaneArea = { readonly width: number; readonly theme: Theme; readonly times: TimeStyle }

/** The changes of a record, the newest first: when, what, by which key and job, and each member from its old to its new value. */
export function historyLines(history: RecordHistory | undefined, area: PaneArea): readonly string[] {
  if (!history) return []
  const { width, theme, times } = area
  const { changes, cut } = history
  const heads = changes.length > 0 ? [theme.bold(fitCell('changes', width))] : []
  const entries = changes.flatMap((change) => [
    theme.accent('●') + theme.bold(fitCell(` ${changeHead(change, times)}`, width - 1)),
    ...memberChanges(change).map((line) => diffLine(line, width, theme)),
  ])
  const rest = cut === undefined ? [] : wrapText(safeText(cut), width)
  return [...heads, ...entries, ...rest.map((line) => theme.dim(fitCell(line, width)))]
}

/** `07:18:23 · updated · warehouse · job_0s9ps`. */
export function changeHead({ at, action, key_name: key, job }: CrmRecord, { nowMs, isWhole }: TimeStyle): string {
  const when = isWhole ? cellText(at) : shortTime(at, nowMs)
  return [when, ...[action, key, job].map(cellText)].filter((part) => part !== '').join(' · ')
}

/** Empty for a change that states no values, such as a deletion. */
export function memberChanges({ fields, old, new: next }: CrmRecord): readonly DiffLine[] {
  if (!Array.isArray(fields)) return []
  const valueIn = (values: unknown, name: string) => (isJsonObject(values) ? (memberOf(values, name) ?? null) : null)
  return fields
    .filter((name) => typeof name === 'string')
    .map((name) => valueChange(name, valueIn(old, name), valueIn(next, name)))
}

/** What an event changed, compared with the event of the same record before it. */
export interface EventDiff {
  /** The earlier event; undefined if none is loaded, and if the event itself states the earlier values. */
  readonly before: CrmRecord | undefined
  /** Undefined if a body is not JSON, or was cut. */
  readonly lines: readonly DiffLine[] | undefined
  /** Members of the earlier event that this one does not state: a sender may send only what changed. */
  readonly unstated: number
}

/** Undefined for an event without a record. The newest row is first. */
export function eventDiff(rows: readonly CrmRecord[], row: CrmRecord): EventDiff | undefined {
  const { record_id: recordId } = row
  if (typeof recordId !== 'string') return undefined
  const before = rows.slice(rows.indexOf(row) + 1).find((each) => each.record_id === recordId && each.id !== row.id)
  const [old, now] = [before && dataOf(before), dataOf(row)]
  const stated = bodyOf(row)?.previous
  if (!old && now && isJsonObject(stated)) {
    return { before: undefined, lines: changesOf(stated, now, Object.keys(stated)), unstated: 0 }
  }
  if (!old || !now) return { before, lines: undefined, unstated: 0 }
  const lines = changesOf(old, now, Object.keys(now))
  const unstated = Object.keys(old).filter((name) => !Object.hasOwn(now, name) && !isReadOnly(name)).length
  return { before, lines, unstated }
}

function changesOf(old: JsonObject, now: JsonObject, names: readonly string[]): readonly DiffLine[] {
  return names.flatMap((name) => {
    const [was, is] = [memberOf(old, name), memberOf(now, name)]
    return isReadOnly(name) || isSameJson(was, is) ? [] : [valueChange(name, was, is)]
  })
}

/** The record in a body, in the members of Standard Webhooks or of Stripe. */
function dataOf(row: CrmRecord): JsonObject | undefined {
  const data = bodyOf(row)?.data
  if (!isJsonObject(data)) return undefined
  return isJsonObject(data.object) ? data.object : data
}

function bodyOf({ body }: CrmRecord): JsonObject | undefined {
  const value = typeof body === 'string' ? jsonIn(body) : undefined
  return isJsonObject(value) ? value : undefined
}
