import { expect, test } from 'vitest'
import { createConnector } from '../../../src/api/connectors/connector.ts'
import { createRecordMap } from '../../../src/api/connectors/record-map.ts'
import { shippedNames } from '../../../src/api/connectors/shipped.ts'
import { judgeWrite } from '../../../src/api/writes/judge-write.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { shippedDocument } from './shipped-documents.ts'

const REFUSALS: readonly JsonObject[] = [
  { type: 'error.list', errors: [{ code: 'locked' }] },
  { success: false, error: 'locked, not deleted' },
]

const CASES = shippedNames().flatMap((name) =>
  (['create', 'update', 'delete'] as const).map((kind) => [name, kind] as const),
)

function outcomeOf(name: string, kind: 'create' | 'update' | 'delete', json: JsonObject | undefined) {
  const place = { baseUrl: new URL('http://127.0.0.1:1'), variables: {} }
  const rules = createConnector(shippedDocument(name), place, createRecordMap).rules('contact')
  const answer = { status: 200, headers: {}, json } as unknown as Parameters<typeof rules.translated>[1]
  const references = {} as Parameters<typeof rules.translated>[2]
  const asked = { kind, id: '5', sent: () => ({ name: 'Ada' }), path: '/contacts/5' }
  return judgeWrite(rules.translated(kind, answer, references), asked).type
}

test.each(CASES)('%s: a 200 to a %s that states a refusal is one', (name, kind) => {
  expect(REFUSALS.map((json) => outcomeOf(name, kind, json))).toEqual(['refused', 'refused'])
})

test.each(shippedNames())('%s: a delete with deleted: false is not done, one with no body is', (name) => {
  expect(outcomeOf(name, 'delete', { id: '5', deleted: false })).toBe('refused')
  expect(outcomeOf(name, 'delete', undefined)).toBe('done')
})
