import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { GENERATED_FOLDERS, generatedFiles } from './reference/generated-files.ts'

/** `npm run reference`: writes the folders that are generated from the commands, and the list of man pages in package.json. */
const root = new URL('..', import.meta.url)

for (const folder of GENERATED_FOLDERS) rmSync(new URL(folder, root), { recursive: true, force: true })
const files = await generatedFiles()
for (const [path, text] of files) {
  const file = new URL(path, root)
  mkdirSync(dirname(file.pathname), { recursive: true })
  writeFileSync(file, text)
}

// npm links the pages that the list names, not those of a folder (`directories.man`).
const names = [...files.keys()].filter((path) => path.startsWith('man/')).toSorted()
const manifest = new URL('package.json', root)
const list = names.map((path) => `    "./${path}"`).join(',\n')
writeFileSync(
  manifest,
  readFileSync(manifest, 'utf8').replace(/"man": \[[^\]]*\]/, () => `"man": [\n${list}\n  ]`),
)
