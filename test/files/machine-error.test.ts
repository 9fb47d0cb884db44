import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import { toMachineError } from '../../src/files/machine-error.ts'
import { tempFolder } from '../harness/home.ts'

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

test('a missing permission has as hint the command that shows the file, or the folder where it would be', async () => {
  const folder = join(tempFolder(), 'a b')
  await mkdir(folder)
  for (const code of ['EACCES', 'EPERM'])
    for (const path of [folder, join(folder, 'lock'), join(folder, 'x/y')]) {
      expect(toMachineError(Object.assign(new Error('no'), { code }), path)).toMatchObject({
        message: `cannot use ${path}: permission denied`,
        details: { hint: `see who may use it: ls -ld '${folder}'` },
      })
    }
})

test('an error that does not concern the disk is unchanged', () => {
  for (const error of [new Error('bug'), Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'text']) {
    expect(toMachineError(error, '/a')).toBe(error)
  }
})
