import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { parseExactJson } from '../../src/core/json.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { textWidth } from '../../src/output/terminal-text.ts'
import { type DetailParts, detailLines, jsonLines } from '../../src/ui/components/detail.tsx'
import { createTheme } from '../../src/ui/look/theme.ts'

const NOW = new Date(2026, 10, 26, 15).getTime()
const TIMES = { nowMs: NOW, isWhole: false }
const DARK = createTheme('dark')

function paneOf(row: CrmRecord, more: Partial<DetailParts> = {}, width = 60): readonly string[] {
  const detail = { row, notes: undefined, top: 0, times: TIMES, diff: undefined, ...more }
  return detailLines(detail, { width, height: 40 }, DARK).filter((line) => line.trim() !== '')
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => stripVTControlCharacters(line).trimEnd()).join('\n')
}

test('values have the colour of their kind: numbers, won stages, ids, null', () => {
  const lines = paneOf({ name: 'Ada', amount: 12.5, stage: 'Closed Won', owner_id: 'u_1', company: null })
  const lineOf = (name: string) => lines.find((line) => stripVTControlCharacters(line).startsWith(name))
  expect(lineOf('name')).toContain(`Ada`)
  expect(lineOf('name')).not.toContain(DARK.accent('Ada'))
  expect(lineOf('amount')).toContain(DARK.accent('12.5'))
  expect(lineOf('stage')).toContain(DARK.good('Closed Won'))
  expect(lineOf('owner_id')).toContain(DARK.dim('u_1'))
  expect(lineOf('company')).toContain(DARK.dim('null'))
})

test('objects are indented JSON with all digits, short lists stay on one line', () => {
  const row = {
    address: parseExactJson('{"city":"Bern","geo":{"id":12345678901234567890},"tags":["a","b"],"none":{}}'),
  }
  expect(textOf(paneOf(row))).toBe(
    [
      'address  {',
      '           "city": "Bern",',
      '           "geo": {',
      '             "id": 12345678901234567890',
      '           },',
      '           "tags": ["a", "b"],',
      '           "none": {}',
      '         }',
    ].join('\n'),
  )
})

test('the body of an event is indented; a text that is no JSON is shown as it was sent', () => {
  expect(textOf(paneOf({ body: '{"type":"deal.created","n":1}' }))).toContain(
    'body  {\n        "type": "deal.created",',
  )
  expect(textOf(paneOf({ body: '{"type":"deal' }))).toBe('body  {"type":"deal')
  expect(textOf(paneOf({ name: '{"a":1}' }))).toBe('name  {"a":1}')
})

test('an attempt is one line in the colour of its result, of which only the target is cut', () => {
  const target = 'http://app.test/a/very/long/path/to/some/receiver'
  const row = { 'attempt 1': `503: busy, again in 5 s · ${target}`, 'attempt 2': `exit 0 in 12 ms · node handler.js` }
  const lines = paneOf(row)
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain(DARK.bad('503: busy, again in 5 s · http://app.test/a/very…'))
  expect(lines[1]).toContain(DARK.good('exit 0 in 12 ms · node handler.js'))
  const long = paneOf({ 'attempt 1': `no answer: ${'connection refused '.repeat(4)}· ${target}` })
  expect(textOf(long)).toContain('refused')
  expect(textOf(long)).not.toContain('…')
})

test('notes are a timeline with dates, the newest first', () => {
  const items = [
    { id: 'note_1', body: 'first', created_at: new Date(NOW - 3 * 86_400_000).toISOString(), author_id: 'u_ines' },
    { id: 'note_0', body: 'undated' },
    { id: 'note_2', body: 'second', created_at: new Date(NOW - 86_400_000).toISOString() },
  ]
  const text = textOf(paneOf({ name: 'Deal', id: 'deal_1' }, { notes: { items, cut: undefined } }))
  expect(text).toContain(
    [
      'notes (3)',
      '● 2026-11-25 · 1 d',
      '│ second',
      '● 2026-11-23 · 3 d · u_ines',
      '│ first',
      '● no date',
      '  undated',
      'id',
    ].join('\n'),
  )
})

test('a time is whole, with its age after it', () => {
  const created = new Date(NOW - 2 * 86_400_000).toISOString()
  expect(textOf(paneOf({ created_at: created }))).toBe(`created_at  ${created} · 2 d`)
  expect(textOf(paneOf({ created_at: created }, { times: { ...TIMES, isWhole: true } }))).toBe(`created_at  ${created}`)
})

test('levels of a value below the twelfth are not shown', () => {
  let nested: CrmRecord = { end: 1 }
  for (let depth = 0; depth < 30; depth++) nested = { a: nested }
  const leads = jsonLines(nested).map(({ lead }) => lead)
  expect(leads).toHaveLength(25)
  expect(leads[12]).toBe(`${' '.repeat(24)}"a": {…}`)
})

test('every line is as wide as the pane for any value, however deep or long', () => {
  let deep: CrmRecord = { end: 1 }
  for (let depth = 0; depth < 20_000; depth++) deep = { [`名${depth % 7}`]: deep }
  const row = {
    deep,
    long: { [`${'k'.repeat(90)}`]: `\x1b[31m${'名'.repeat(90)}` },
    many: Array.from({ length: 2_000 }, String),
  }
  for (const width of [24, 44, 60, 97]) {
    const lines = detailLines(
      { row, notes: undefined, top: 0, times: TIMES, diff: undefined },
      { width, height: 700 },
      DARK,
    )
    for (const line of lines) expect(textWidth(stripVTControlCharacters(line))).toBe(width)
  }
})
