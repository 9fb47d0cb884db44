import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBrowseDocument } from '../../src/settings/browse-document.ts'
import { emptyHome } from '../harness/home.ts'

function settings(text: string) {
  const env = emptyHome()
  const folder = join(env.HOME, '.config', 'crm')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'browse.json')
  writeFileSync(path, text, { mode: 0o600 })
  return { document: openBrowseDocument(env), stored: () => JSON.parse(readFileSync(path, 'utf8')) }
}

test('the first screen is kept beside the theme, and removed when it is no longer chosen', async () => {
  const { document, stored } = settings('{"theme":"dark"}')
  expect(await document.first()).toBeUndefined()
  await document.setFirst('home')
  expect(await document.first()).toBe('home')
  expect(stored()).toMatchObject({ theme: 'dark', first: 'home' })
  await document.setFirst(undefined)
  expect(stored()).not.toHaveProperty('first')
  expect(stored()).toMatchObject({ theme: 'dark' })
})

test('a first screen that is no text is refused with the name of the file', async () => {
  const { document } = settings('{"first":3}')
  await expect(document.first()).rejects.toThrow(/browse\.json.*first is not a screen/s)
})
