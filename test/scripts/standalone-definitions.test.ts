import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crmVersion } from '../../scripts/standalone/commit.ts'
import { writeDefinitions } from '../../scripts/standalone/definitions.ts'
import { tempFolder } from '../harness/home.ts'

/** Where it is installed. */
const RUBY = '/usr/bin/ruby'

const URL_BASE = 'https://downloads.example/crm'

function folderWith(...targets: readonly string[]): string {
  const out = tempFolder()
  for (const target of targets) writeFileSync(join(out, `crm-${crmVersion()}-${target}.tar.gz`), target)
  return out
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('the formula has the address and the sum of each archive, and is Ruby', () => {
  const out = folderWith('linux-x64', 'darwin-arm64')
  writeDefinitions({ out, url: URL_BASE })
  const formula = readFileSync(join(out, 'crm.rb'), 'utf8')
  for (const target of ['linux-x64', 'darwin-arm64']) {
    expect(formula).toContain(
      `url "${URL_BASE}/crm-${crmVersion()}-${target}.tar.gz"\n      sha256 "${sha256(target)}"`,
    )
  }
  expect(formula).not.toContain('darwin-x64')
  expect(existsSync(join(out, 'crm.json'))).toBe(false)
  const ruby = spawnSync(RUBY, ['-c', join(out, 'crm.rb')], { encoding: 'utf8' })
  if (!ruby.error) expect(ruby.stdout).toBe('Syntax OK\n')
})

test('the manifest has the address and the sum of the archive for Windows', () => {
  const out = folderWith('win32-x64')
  writeDefinitions({ out, url: URL_BASE })
  const { architecture, version } = JSON.parse(readFileSync(join(out, 'crm.json'), 'utf8'))
  expect(version).toBe(crmVersion())
  expect(architecture['64bit']).toMatchObject({
    url: `${URL_BASE}/crm-${version}-win32-x64.tar.gz`,
    hash: sha256('win32-x64'),
  })
  expect(existsSync(join(out, 'crm.rb'))).toBe(false)
})
