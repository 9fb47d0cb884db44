import { uses } from './check-placeholders.ts'
import type { BatchKind } from './document.ts'
import { type Located, memberAt, membersOf, type Place, type Problems, textIn } from './located.ts'

interface BatchCheck {
  /** With the keys that all batches of the resource share. */
  readonly whole: Located
  readonly place: Place
  readonly problems: Problems
}

/** What the outcome of a row is found by, and what names the row in the request. */
export function checkBatch(kind: BatchKind, { whole, place, problems }: BatchCheck): void {
  const has = (key: string) => membersOf(whole).has(key)
  const [item, row] = [memberAt(whole, 'item'), memberAt(whole, 'row')]
  const isSent = ['body', 'query'].some((key) => usesIn(memberAt(whole, key), ['items']))
  if (!isSent) problems.add(place, `the batch ${kind} sends {items} neither in its body nor in its query`)
  const isAll = textIn(memberAt(whole, 'accounts')) === 'all'
  if (!has('results') && (kind === 'read' || !isAll)) {
    problems.add(place, `results is missing for the batch ${kind}, expected the path of its outcomes, or accounts: all`)
  }
  const isCorrelated = row !== undefined && textIn(row) !== 'none'
  const isNamed = usesIn(item, ['row'])
  if (isCorrelated !== isNamed && kind !== 'read' && !isAll) {
    const what = isCorrelated ? 'row is stated, and item never uses {row}' : 'item uses {row}, and row is missing'
    problems.add(place, `in the batch ${kind}, ${what}`)
  }
  const names = NAMING[kind]
  if (!usesIn(item, names)) {
    problems.add(place, `item of the batch ${kind} uses none of ${names.map((name) => `{${name}}`).join(', ')}`)
  }
  if (kind === 'upsert' && membersOf(memberAt(whole, 'by')).size === 0) {
    problems.add(place, 'by is missing for the batch upsert, expected the field that it matches by')
  }
}

const NAMING: Readonly<Record<BatchKind, readonly string[]>> = {
  create: ['record'],
  update: ['id'],
  upsert: ['value', 'record'],
  delete: ['id'],
  read: ['value', 'id'],
}

function usesIn(node: Located | undefined, names: readonly string[]): boolean {
  return node !== undefined && uses(node, names)
}
