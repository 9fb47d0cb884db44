import { expect, test } from 'vitest'
import { MovedOperations } from '../../src/jobs/plan/moved-operations.ts'
import type { PlanOperation } from '../../src/jobs/plan/plan-format.ts'

function operation(op: number, after?: number): PlanOperation {
  const head = {
    do: 'delete',
    path: '/v1/contacts/c',
    digest: '',
    n: 0,
    ...(after !== undefined && { after }),
  } as const
  return { op, offset: 0, head, body: null }
}

test('an operation waits for the same one in its new place, and for none that is not in the new plan', () => {
  const moved = new MovedOperations()
  expect(moved.move(operation(4), 0)).toEqual({})
  expect(moved.move(operation(7, 4), 1)).toEqual({ after: 0 })
  expect(moved.move(operation(8, 5), 2)).toEqual({})
})
