import { expect, test } from 'vitest'
import type { Planned } from '../../src/jobs/plan/plan-builder.ts'
import { MovedOperations } from '../../src/jobs/plan/plan-builder.ts'
import type { PlanOperation } from '../../src/jobs/plan/plan-format.ts'

function operation(op: number, after?: number): PlanOperation {
  const head = {
    do: 'delete',
    path: '/v1/contacts/c',
    digest: '',
    n: 0,
    ...(after !== undefined && { after }),
  } as const
  return { op, head, body: null }
}

/** What a new plan gets, in which operations with this path are left out because they were done before. */
function moved(operations: readonly PlanOperation[], isReverse: boolean, done: readonly number[] = []) {
  const added: { readonly id: string | undefined; readonly after?: number }[] = []
  const builder = {
    get next() {
      return added.length
    },
    add({ id, after }: Planned) {
      if (!done.includes(Number(id))) added.push({ id, ...(after !== undefined && { after }) })
    },
  }
  const moving = new MovedOperations(builder, isReverse)
  for (const each of operations) moving.add(each, { do: 'delete', path: '/v1/contacts/c', id: String(each.op) })
  return added
}

test('an operation waits for the same one in its new place, and for none that is not in the new plan', () => {
  expect(moved([operation(4), operation(7, 4), operation(8, 5)], false)).toEqual([
    { id: '4' },
    { id: '7', after: 0 },
    { id: '8' },
  ])
  expect(moved([operation(4), operation(7, 4)], false, [4])).toEqual([{ id: '7' }])
})

test('in reverse order, an operation waits for what waited for it', () => {
  expect(moved([operation(2, 1), operation(1, 0), operation(0)], true)).toEqual([
    { id: '2' },
    { id: '1', after: 0 },
    { id: '0', after: 1 },
  ])
})
