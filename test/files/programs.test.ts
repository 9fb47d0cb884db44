import { expect, test } from 'vitest'
import { findProgram, programStart } from '../../src/files/programs.ts'

function windows(...files: readonly string[]) {
  return { platform: 'win32', isProgram: (file: string) => files.includes(file) } as const
}

const PATH = 'C:\\Windows;C:\\Program Files\\nodejs'

test('Windows finds a program without its end, in the order of PATH and then of PATHEXT', () => {
  const system = windows('C:\\Program Files\\nodejs\\npm.CMD', 'C:\\Program Files\\nodejs\\npm')
  expect(findProgram('npm', { PATH, PATHEXT: '.EXE;.CMD' }, system)).toBe('C:\\Program Files\\nodejs\\npm.CMD')
  expect(findProgram('npm', { Path: PATH }, system)).toBe('C:\\Program Files\\nodejs\\npm.CMD')
  expect(findProgram('npm.exe', { PATH }, system)).toBeUndefined()
  expect(findProgram('C:/tools/op', { PATH }, windows('C:/tools/op.EXE'))).toBe('C:/tools/op.EXE')
})

test('other systems search the folders of PATH for the name alone', () => {
  const system = { platform: 'darwin', isProgram: (file: string) => file === '/opt/bin/npm' } as const
  expect(findProgram('npm', { PATH: '/usr/bin:/opt/bin', PATHEXT: '.CMD' }, system)).toBe('/opt/bin/npm')
  expect(findProgram('./npm', { PATH: '/opt/bin' }, system)).toBeUndefined()
})

test('a program of Windows starts without a shell, and a batch file by cmd.exe', () => {
  const system = windows('C:\\Windows\\op.EXE', 'C:\\Program Files\\nodejs\\npm.CMD')
  expect(programStart(['op', 'read', 'a b'], { PATH }, system)).toEqual({
    file: 'C:\\Windows\\op.EXE',
    args: ['read', 'a b'],
  })
  expect(programStart(['npm', 'test'], { PATH }, system)).toEqual({
    file: 'cmd.exe',
    args: ['/d', '/s', '/c', '"C:\\Program^ Files\\nodejs\\npm.CMD ^^^"test^^^""'],
    windowsVerbatimArguments: true,
  })
})

test('no argument of a batch file ends its quotes or names a variable', () => {
  const system = windows('C:\\Windows\\run.CMD')
  const line = programStart(['run', 'a"&calc', '%PATH%', 'C:\\end\\'], { PATH }, system).args.at(-1)
  expect(line).toBe('"C:\\Windows\\run.CMD ^^^"a\\^^^"^^^&calc^^^" ^^^"^^^%PATH^^^%^^^" ^^^"C:\\end\\\\^^^""')
})

test('a program of another system gets its words unchanged', () => {
  const system = { platform: 'linux', isProgram: () => true } as const
  expect(programStart(['npm.cmd', '%PATH%'], { PATH: '/bin' }, system)).toEqual({ file: 'npm.cmd', args: ['%PATH%'] })
})
