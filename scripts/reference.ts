import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { generatedFiles } from './reference/generated-files.ts'

/** The last step of `npm run build`: writes `man` and `schemas`, which hold generated files only. */
const root = new URL('..', import.meta.url)

for (const folder of ['man/', 'schemas/']) {
  rmSync(new URL(folder, root), { recursive: true, force: true })
  mkdirSync(new URL(folder, root))
}
for (const [path, text] of await generatedFiles()) writeFileSync(new URL(path, root), text)
