import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { GENERATED_FOLDERS, generatedFiles } from './reference/generated-files.ts'

/** `npm run reference`: writes the folders that are generated from the commands. */
const root = new URL('..', import.meta.url)

for (const folder of GENERATED_FOLDERS) rmSync(new URL(folder, root), { recursive: true, force: true })
for (const [path, text] of await generatedFiles()) {
  const file = new URL(path, root)
  mkdirSync(dirname(file.pathname), { recursive: true })
  writeFileSync(file, text)
}
