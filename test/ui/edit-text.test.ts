import { expect, test } from 'vitest'
import { openInEditor } from '../../src/ui/background/edit-record.ts'

test('an editor gets the environment of the command without the key', async () => {
  const env = { PATH: process.env.PATH, EDITOR: 'env >', CRM_API_KEY: 'crm_key_of_nobody', CRM_PROFILE: 'staging' }
  const { text, forget } = await openInEditor('name: Ada', env)
  await forget()
  expect(text).toContain('CRM_PROFILE=staging')
  expect(text).not.toContain('CRM_API_KEY')
})
