import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { settingsFixture } from './settings-fixture.ts'

const settingsModule = fileURLToPath(new URL('../../src/settings/settings.ts', import.meta.url))

test('reading does not load conf', async () => {
  const { folder } = await settingsFixture({ profiles: { local: { base_url: 'https://a.example' } } })
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => { if (name === 'conf') throw new Error('conf'); return next(name, context) } })
    const { openSettings } = await import(${JSON.stringify(settingsModule)})
    const settings = openSettings({ CRM_CONFIG_HOME: ${JSON.stringify(folder)} })
    console.log([...(await settings.profiles()).keys()].join())
    await settings.setSetting('local', 'protected', 'true').catch((error) => console.log(error.message))
  `
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(printed).toBe('local\nconf\n')
})
