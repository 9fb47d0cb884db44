import { expect, test } from 'vitest'
import { AnsweredIds } from '../../src/jobs/send/tasks.ts'

test('an id is known among at least the latest 20,000, also those of an earlier process', () => {
  const ids = new AnsweredIds(['con_first'])
  for (let at = 1; at < 20_000; at++) expect(ids.add(`con_${at}`)).toBe(true)
  expect(ids.add('con_first')).toBe(false)
  expect(ids.add('con_20000')).toBe(true)
  expect(ids.add('con_first')).toBe(false)
  expect(ids.add('con_20000')).toBe(false)
})

test('of many ids the first are forgotten, so that a job of millions of rows does not keep all', () => {
  const ids = new AnsweredIds()
  for (let at = 0; at < 60_000; at++) ids.add(`con_${at}`)
  expect(ids.add('con_59999')).toBe(false)
  expect(ids.add('con_0')).toBe(true)
})
