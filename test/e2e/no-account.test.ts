import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../harness/home.ts'
import { CRM } from './crm.ts'
import { startService } from './service.ts'

/** A user id without an account, as containers are run with; only root can take one. */
const UID = 54_321
const FIXTURES = 'version: 1\ncontacts: { a: { name: A } }\n'

function runAs(uid: number, args: readonly string[], env: Record<string, string>, folder: string) {
  return spawnSync(process.execPath, [CRM, ...args], { cwd: folder, env, uid, gid: uid, encoding: 'utf8' })
}

describe.skipIf(process.getuid?.() !== 0)('a user id without an account and without HOME (skipped unless root)', () => {
  test('reads, writes and takes back what an earlier command made', async () => {
    const service = await startService()
    const folder = tempFolder()
    const temporary = join(folder, 'tmp')
    mkdirSync(temporary, { mode: 0o777 })
    spawnSync('chmod', ['-R', 'a+rwX', folder])
    writeFileSync(join(folder, 'demo.yaml'), FIXTURES, { mode: 0o644 })
    const { CRM_API_KEY = '', CRM_BASE_URL = '' } = service.env
    const env = { PATH: process.env.PATH ?? '', TMPDIR: temporary, CRM_API_KEY, CRM_BASE_URL }
    for (const args of [['contacts', 'list'], ['contacts', 'create', '--set', 'name=Ada'], ['doctor'], ['snapshot']]) {
      const { status, stderr } = runAs(UID, args, env, folder)
      expect(status, stderr).toBe(0)
    }
    const applied = runAs(UID, ['fixtures', 'apply', 'demo.yaml', '--run-id', 'x'], env, folder)
    expect(applied.status, applied.stderr).toBe(0)
    expect(applied.stderr.match(/finds them again/g)).toHaveLength(1)
    expect(readdirSync(temporary)).toEqual([`crm-state-${UID}`])
    const destroyed = runAs(UID, ['fixtures', 'destroy', 'demo.yaml', '--run-id', 'x'], env, folder)
    expect(destroyed.stderr).toContain('1 deleted')
  })
})
