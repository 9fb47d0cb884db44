import { expect, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

test('a time span of more than a hundred years, and one without a unit, is exit 2', async () => {
  const commands = [
    ['contacts', 'restore', 'con_1', '--at'],
    ['contacts', 'history', 'con_1', '--since'],
    ['history', '--since'],
    ['deals', 'stale', '--for'],
    ['report', 'activity', '--since'],
  ]
  for (const command of commands) {
    const stderr = expect.stringContaining('Expected 36500d at most.')
    expect(await crm([...command, '99999999d'], emptyHome())).toMatchObject({ exit: 2, stderr })
    expect(await crm([...command, '30'], emptyHome())).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('Expected a time span such as'),
    })
  }
})
