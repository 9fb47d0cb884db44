import { expect, test } from 'vitest'
import { untilFree } from '../../src/files/rename.ts'

function failing(times: number, code: string) {
  let tries = 0
  return async () => {
    tries++
    if (tries <= times) throw Object.assign(new Error(code), { code })
    return undefined
  }
}

test('Windows is asked again while another program has the file open', async () => {
  await untilFree(failing(2, 'EPERM'), 'win32')
  await untilFree(failing(1, 'EBUSY'), 'win32')
})

test('what is no such failure, or is on another system, fails at once', async () => {
  await expect(untilFree(failing(1, 'ENOENT'), 'win32')).rejects.toThrow('ENOENT')
  await expect(untilFree(failing(1, 'EPERM'), 'linux')).rejects.toThrow('EPERM')
})
