import { expect, test } from 'vitest'
import { createExpression } from '../../src/expr/expression.ts'
import { loadJq } from '../../src/expr/jq.ts'

const NOW_MS = Date.parse('2026-03-01T12:00:00Z')

async function outcomes(text: string, ...values: readonly (string | number | null)[]): Promise<readonly unknown[]> {
  const query = await createExpression(await loadJq(), { flag: '--where', text, say: () => {}, nowMs: NOW_MS })
  return (
    (await query?.outcomes(values.map((t, id) => ({ id, t }))))?.map((outcome) =>
      'results' in outcome ? outcome.results[0] : outcome.reason,
    ) ?? []
  )
}

test('age is in seconds, for times with milliseconds, with an offset, without one (UTC), and for dates', async () => {
  const ages = await outcomes(
    '.t | age',
    '2026-03-01T11:59:59.500Z',
    '2026-03-01T13:00:00+01:30',
    '2026-03-01T06:00:00-0600',
    '2026-02-28',
    '2026-03-01 11:00:00',
    '2024-02-29T23:59:60Z',
    '2026-03-01T12:00:01Z',
  )
  expect(ages).toEqual([0.5, 1800, 0, 129_600, 3600, 63_115_200, -1])
})

test('age counts days as Date does over 400 years', async () => {
  const days = Array.from({ length: 400 }, (_, at) => new Date(Date.UTC(1800 + at, at % 12, 1 + (at % 28))))
  const ages = await outcomes('.t | age', ...days.map((day) => day.toISOString()))
  expect(ages).toEqual(days.map((day) => (NOW_MS - day.getTime()) / 1000))
})

test('older_than compares with the start of the command', async () => {
  const times = ['2026-02-28T11:59:59.999Z', '2026-02-28T12:00:00.000Z', '2026-02-28T12:00:00.001Z']
  expect(await outcomes('.t | older_than("1d")', ...times)).toEqual([true, false, false])
  expect(await outcomes('.t | older_than("24h") == older_than("1440m")', ...times)).toEqual([true, true, true])
  expect(await outcomes('.t | older_than("500ms")', '2026-03-01T11:59:59.499Z')).toEqual([true])
})

test.each([
  null,
  17,
  'soon',
  '',
  '2026-02-30',
  '2026-13-01',
  '2026-01-01T25:00:00Z',
  '2026-01-01T10:00:00+25:00',
  '2026',
])('%j is not a time: the result is an error for its record, not false', async (value) => {
  const [reason] = await outcomes('.t | older_than("1d")', value)
  expect(reason).toBe(
    `${JSON.stringify(value)} is not a time, expected one such as 2026-01-31T09:30:00.000Z, or 2026-01-31`,
  )
})

test.each(['.t | older_than("90x")', '.t | older_than("90")', '.t | older_than(90)', '.t | older_than("")'])(
  '%s is rejected before any record is read',
  async (text) => {
    await expect(outcomes(text)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('not a duration'),
    })
  },
)

test('a wrong duration computed from a record is an error for that record', async () => {
  expect(await outcomes('.t as $t | "2026-01-01" | older_than($t)', 'x')).toEqual([
    'older_than("x"): expected a time such as 90d, 12h, 30m, 45s or 500ms',
  ])
})

test('a program can define a function of the same name', async () => {
  expect(await outcomes('def age: 5; .t | age', null)).toEqual([5])
})
