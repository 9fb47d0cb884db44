import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILES = globSync('{src,test,scripts,bin,bench}/**/*.{ts,tsx,js,mjs}', { cwd: ROOT })
const FOLDERS = globSync('{src,test,scripts,bin,bench,docs,tools,connectors}/**/', { cwd: ROOT }).map((folder) =>
  folder.endsWith('/') ? folder : `${folder}/`,
)

/** Names in code marks and in the pictures, without those that stand for several. */
function namesIn(page: string): readonly string[] {
  const text = readFileSync(new URL(page, `file://${ROOT}`), 'utf8').replaceAll(/\]\([^)]*\)/g, ']')
  const names =
    text.match(/(?<![\w./<>{-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*(?:\.tsx?|\/)(?![\w<{*/:.-]*[\w<{*:])/g) ?? []
  // Not the imports of examples.
  return [...new Set(names)].filter((name) => !name.startsWith('../'))
}

function exists(name: string): boolean {
  return [...FILES, ...FOLDERS].some((path) => path === name || path.endsWith(`/${name}`))
}

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('every file and folder that %s names exists', (page) => {
  const names = namesIn(page)
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !exists(name))).toEqual([])
})

test('docs/architecture.md says of every folder of src what belongs in it', () => {
  const page = readFileSync(new URL('docs/architecture.md', `file://${ROOT}`), 'utf8')
  const folders = FOLDERS.filter((folder) => folder.startsWith('src/')).map((folder) => folder.slice('src/'.length))
  const unnamed = folders.filter(
    (folder) => folder !== '' && !/^commands\/[\w-]+\/$/.test(folder) && !page.includes(folder),
  )
  expect(unnamed).toEqual([])
})
