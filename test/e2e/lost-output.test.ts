import { spawnSync } from 'node:child_process'
import { openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { tempFolder } from '../harness/home.ts'
import { CRM } from './crm.ts'
import { test } from './shared-service.ts'

const CREATE = [CRM, 'contacts', 'create', '--set', 'name=Ada', '-o', 'id']

test.skipIf(process.platform !== 'linux')('the id of a create is not lost on a full disk', ({ service }) => {
  const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const
  const { status, stderr } = spawnSync(process.execPath, CREATE, { env: service.env, stdio: [...stdio] })
  expect(status).toBe(13)
  expect(stderr.toString()).toMatch(/ENOSPC.*; what took effect: contact con_\w+\n/)
})

test.skipIf(process.platform !== 'linux')('what a job did is named with the job on a full disk', ({ service }) => {
  const folder = tempFolder()
  const file = join(folder, 'people.csv')
  writeFileSync(file, 'name\nGrace of the full disk\n')
  const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const
  const env = { ...service.env, CRM_STATE_HOME: folder }
  const { status, stderr } = spawnSync(process.execPath, [CRM, 'contacts', 'import', file], { env, stdio: [...stdio] })
  expect(status).toBe(13)
  expect(stderr.toString()).toMatch(/ENOSPC.*; what took effect: 1 of 1 rows; see crm jobs show job_\w+\n/)
})

test('the id of a create is named on stderr when stdout is closed or discarded, but for -q', ({ service }) => {
  const run = (redirect: string, ...args: string[]) => {
    const shell = ['-c', `exec "$@" ${redirect}`, 'sh', process.execPath, ...CREATE, ...args]
    return spawnSync('sh', shell, { env: service.env, encoding: 'utf8' })
  }
  for (const redirect of ['>&-', '>/dev/null']) {
    expect(run(redirect)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^Done, but the output is discarded: contact con_\w+\n$/),
    })
  }
  expect(run('>/dev/null', '-q')).toMatchObject({ status: 0, stderr: '' })
})
