import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { CRM, crm } from './crm.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

test('the tests of the example app pass in a sandbox: fixtures, diff, webhooks wait and startSandbox', async () => {
  const app = join(tempFolder(), 'app')
  cpSync(join(ROOT, 'examples/app'), app, { recursive: true, filter: (path) => !path.endsWith('node_modules') })
  mkdirSync(join(app, 'node_modules/.bin'), { recursive: true })
  symlinkSync(ROOT, join(app, 'node_modules/crm-cli'))
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(app, 'node_modules/vitest'))
  symlinkSync(CRM, join(app, 'node_modules/.bin/crm'))
  const env = emptyHome({ PATH: `${join(app, 'node_modules/.bin')}:${process.env.PATH}`, CI: '1' })
  const vitest = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', app]
  const run = `cd ${app} && exec "$@"`
  const { exit, stdout } = await crm(
    ['sandbox', 'run', '--seed', join(app, 'fixtures.yaml'), '--', 'sh', '-c', run, 'sh', ...vitest],
    env,
  )
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringContaining('3 passed') })
})
