import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSandboxFolder, sweepSandboxFolders } from '../../src/sandbox/sandbox-folder.ts'
import { tempFolder } from '../files/temp-folder.ts'

async function pidOfTheDead(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0'])
  await once(child, 'exit')
  return child.pid ?? 0
}

test('a sweep removes only the folders of processes that have ended', async () => {
  const parent = await tempFolder()
  const host = hostname().replaceAll(/[^0-9a-zA-Z_.]/g, '_')
  const dead = await pidOfTheDead()
  const own = makeSandboxFolder(parent)
  mkdirSync(join(parent, `crm-sandbox-${host}-${dead}-abc`, 'state'), { recursive: true })
  mkdirSync(join(parent, `crm-sandbox-elsewhere.${host}-${dead}-abc`))
  mkdirSync(join(parent, 'other'))
  sweepSandboxFolders(parent)
  expect(readdirSync(parent).sort()).toEqual(
    [`crm-sandbox-elsewhere.${host}-${dead}-abc`, own.slice(parent.length + 1), 'other'].sort(),
  )
  expect(statSync(own).mode & 0o777).toBe(0o700)
})
