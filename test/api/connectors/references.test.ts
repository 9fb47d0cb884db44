import { expect, test } from 'vitest'
import { ListedReferences } from '../../../src/api/connectors/references.ts'
import type { Page } from '../../../src/api/operations.ts'

/** Stages that count from 10 in each pipeline. */
async function stages(): Promise<ListedReferences> {
  const items = [
    { id: '10', name: 'Prospect', pipeline_id: 'sales' },
    { id: '20', name: 'Offer', pipeline_id: 'sales' },
    { id: '30', name: 'Won', pipeline_id: 'sales' },
    { id: '10', name: 'Prospect', pipeline_id: 'renewals' },
    { id: '20', name: 'Call', pipeline_id: 'renewals' },
    { id: '40', name: 'Won', pipeline_id: 'renewals' },
  ]
  const references = new ListedReferences(async function* () {
    const page: Page = { items, nextCursor: undefined }
    yield page
  })
  await references.load(['stage'])
  return references
}

test('an id that records of several groups have is named within its group', async () => {
  const references = await stages()
  const within = (pipeline_id: string) => () => ({ pipeline_id })
  expect(references.nameOf('stage', '20', within('sales'))).toBe('Offer')
  expect(references.nameOf('stage', '20', within('renewals'))).toBe('Call')
  expect(references.nameOf('stage', '20', within('other'))).toBeUndefined()
  expect(references.nameOf('stage', '30', within('renewals'))).toBe('Won')
  expect(references.nameOf('stage', '50', within('sales'))).toBeUndefined()
})

test('a name leads to its id where only one record can be meant', async () => {
  const references = await stages()
  expect(references.idOf('stage', 'Prospect', {})).toBe('10')
  expect(references.idOf('stage', 'Call', { pipeline_id: 'renewals' })).toBe('20')
  expect(references.idOf('stage', 'Won', { pipeline_id: 'renewals' })).toBe('40')
  expect(references.idOf('stage', '20', {})).toBe('20')
  expect(() => references.idOf('stage', 'Call', {})).toThrow('"Call" and "Offer" have the same id, 20')
  expect(() => references.idOf('stage', 'Won', {})).toThrow('2 stages are named "Won": 30, 40')
  expect(() => references.idOf('stage', 'Lost', {})).toThrow('there is no stage "Lost"')
})
