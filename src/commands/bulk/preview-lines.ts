import type { JsonValue } from '../../core/json.ts'
import type { ShownOperation } from '../../jobs/plan/check-plan.ts'
import type { MemberPreview, Preview, SampleChange } from '../../jobs/plan/preview.ts'
import { jsonText } from '../../output/safe-text.ts'

const MOST_MEMBERS = 12
const LONGEST_VALUE = 40
/** Changes of one member that are all listed. */
const FEW = 3
/** Changes and records, of which each may name someone. */
const MOST_ROWS = 20

/** What a plan changes, as values: for each member, and in the first records. */
export function previewLines({ members, samples, names }: Preview): readonly string[] {
  let room = MOST_ROWS - samples.length
  const all = members.flatMap((member) => {
    const shown = member.changes.slice(0, Math.min(FEW, room))
    room -= shown.length
    return memberLine(member, shown, names) ?? []
  })
  const hidden = all.length - MOST_MEMBERS
  const lines = [...all.slice(0, MOST_MEMBERS), ...(hidden > 0 ? [`and ${hidden} more members`] : [])]
  return [
    ...(lines.length === 0 ? [] : ['Changes:', ...lines.map((line) => `  ${line}`)]),
    ...(samples.length === 0 ? [] : ['For example:', ...samples.map((sample) => `  ${sampleText(sample, names)}`)]),
  ]
}

/** `stage: Lead → Won 9, phone in 12`: for a question. */
export function valueChangesText({ members }: Preview): string {
  const changed = members.filter(({ changes }) => changes.length > 0)
  const shown = changed.slice(0, FEW).map(({ field, changes, others }) => {
    const [change, ...more] = changes
    if (change && more.length === 0 && others === 0)
      return `${field}: ${valueText(change.was)} → ${valueText(change.now)}`
    return `${field}: ${countOf(changes) + others} values`
  })
  return [...shown, ...(changed.length > FEW ? [`${changed.length - FEW} more members`] : [])].join('; ')
}

function memberLine(
  { field, changes, others, sum }: MemberPreview,
  listed: MemberPreview['changes'],
  names: Preview['names'],
): string | undefined {
  const shown = listed.map(({ was, now, count }) => `${changeText(was, now)}${nameText(field, now, names)} (${count})`)
  const hidden = others + countOf(changes.slice(listed.length))
  const parts = [...shown, ...(hidden > 0 ? [hidden === 1 ? '1 other' : `${hidden} others`] : [])]
  const total = sum === null ? [] : [`sum ${jsonText(sum.was)} → ${jsonText(sum.now)}`]
  const text = [...(parts.length === 0 ? [] : [parts.join(', ')]), ...total].join('; ')
  return text === '' ? undefined : `${field}: ${text}`
}

function countOf(changes: MemberPreview['changes']): number {
  return changes.reduce((sum, { count }) => sum + count, 0)
}

function sampleText({ do: kind, id, line, was, now }: SampleChange, known: Preview['names']): string {
  const place = [id ?? '', line === null ? '' : `line ${line}`].filter(Boolean).join(', ')
  const names = Object.keys(kind === 'delete' ? was : now)
  const values = names
    .slice(0, MOST_MEMBERS)
    .map(
      (name) =>
        `${name} ${memberText(kind, was[name] ?? null, now[name] ?? null)}${nameText(name, now[name] ?? null, known)}`,
    )
  const more = names.length > MOST_MEMBERS ? `, and ${names.length - MOST_MEMBERS} more members` : ''
  return `${kind === 'update' ? 'change' : kind} ${place}: ${values.join(', ')}${more}`
}

/** `stage: "Lead" → "Won", amount: unknown → 3`: one operation of a plan, with all its members. */
export function operationText({ do: kind, fields, was }: ShownOperation): string {
  if (kind === 'fail') return ''
  if (kind === 'delete' && !was) return 'unknown'
  const names = Object.keys((kind === 'delete' ? was : fields) ?? {})
  // Whole values: of a plan that someone else wrote, this is what is known of it.
  const textOf = (name: string) =>
    memberText(kind, was === null ? undefined : (was[name] ?? null), fields?.[name] ?? null, Number.POSITIVE_INFINITY)
  return names.map((name) => `${name}: ${textOf(name)}`).join(', ')
}

function memberText(
  kind: SampleChange['do'],
  was: JsonValue | undefined,
  now: JsonValue,
  longest: number = LONGEST_VALUE,
): string {
  if (kind === 'create') return valueText(now, longest)
  if (kind === 'delete' || was === undefined) {
    const before = was === undefined ? 'unknown' : valueText(was, longest)
    return kind === 'delete' ? before : `${before} → ${valueText(now, longest)}`
  }
  return changeText(was, now, longest)
}

/** Of long lists, what is added and what is removed. */
function changeText(was: JsonValue, now: JsonValue, longest?: number): string {
  const [before, after] = [valueText(was, longest), valueText(now, longest)]
  if (!Array.isArray(was) || !Array.isArray(now) || !`${before}${after}`.includes('…')) return `${before} → ${after}`
  const [had, has] = [was.map((each) => jsonText(each)), now.map((each) => jsonText(each))]
  const added = has.filter((each) => !had.includes(each)).join(', ')
  const taken = had.filter((each) => !has.includes(each)).join(', ')
  const parts = [added && `adds ${shortened(added, longest)}`, taken && `removes ${shortened(taken, longest)}`]
  return parts.filter(Boolean).join(', ') || `${before} → ${after}`
}

/** ` (Acme)`: what people call the records of these ids. */
function nameText(field: string, value: JsonValue, names: Preview['names']): string {
  const ids = Array.isArray(value) ? value : [value]
  const named = ids.flatMap((id) => (typeof id === 'string' ? (names?.get(`${field} ${id}`) ?? []) : []))
  return named.length === 0 ? '' : ` (${named.map((name) => shortened(jsonText(name).slice(1, -1))).join(', ')})`
}

function valueText(value: JsonValue, longest: number = LONGEST_VALUE): string {
  if (value === null) return 'nothing'
  return shortened(jsonText(value), longest)
}

function shortened(text: string, longest: number = LONGEST_VALUE): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}
