import { expect, test } from 'vitest'
import { openInEditor } from '../../src/output/open-in-editor.ts'

test('an editor gets the environment of the command without the key', async () => {
  const env = { PATH: process.env.PATH, EDITOR: 'env >', CRM_API_KEY: 'crm_key_of_nobody', CRM_PROFILE: 'staging' }
  const { text, forget } = await openInEditor({ text: 'name: Ada', name: 'record.yaml' }, env)
  await forget()
  expect(text).toContain('CRM_PROFILE=staging')
  expect(text).not.toContain('CRM_API_KEY')
})
