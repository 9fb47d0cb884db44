import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import { toMachineError } from '../../src/files/machine-error.ts'

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

test('a full disk is reported, with the path', async () => {
  const error = toMachineError(await failureOf(writeFile('/dev/full', 'x')), '/dev/full')
  expect(error).toBeInstanceOf(CrmError)
  expect(error).toMatchObject({ code: 'machine', message: 'cannot use /dev/full: no space left on the disk' })
})

test('a missing permission has the command that shows it as hint', () => {
  for (const code of ['EACCES', 'EPERM']) {
    expect(toMachineError(Object.assign(new Error('no'), { code }), '/a b')).toMatchObject({
      message: 'cannot use /a b: permission denied',
      details: { hint: "see who may use it: ls -ld '/a b'" },
    })
  }
})

test('an error that does not concern the disk is unchanged', () => {
  for (const error of [new Error('bug'), Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'text']) {
    expect(toMachineError(error, '/a')).toBe(error)
  }
})
