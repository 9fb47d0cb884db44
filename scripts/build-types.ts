import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Writes the declarations of the Node library: only those that `src/index.ts` exports or needs. */
const root = fileURLToPath(new URL('..', import.meta.url))
const emitted = mkdtempSync(join(tmpdir(), 'crm-types-'))
const shown = join(root, 'dist/types')

const tsc = join(root, 'node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.library.json', '--outDir', emitted], {
  cwd: root,
  stdio: 'inherit',
})
rmSync(shown, { recursive: true, force: true })
const done = new Set<string>()
for (const entry of ['index.d.ts', 'sandbox/start-sandbox.d.ts']) copyWithImports(join(emitted, entry))
rmSync(emitted, { recursive: true })

/** A consumer's compiler resolves `x.js` to `x.d.ts`, and cannot resolve `x.ts`. */
function copyWithImports(file: string): void {
  if (done.has(file)) return
  done.add(file)
  const imports = /(from ')(\.[^']+)\.ts(')/g
  const text = readFileSync(file, 'utf8')
  const target = join(shown, relative(emitted, file))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text.replace(imports, '$1$2.js$3'))
  for (const [, , path = ''] of text.matchAll(imports)) copyWithImports(join(dirname(file), `${path}.d.ts`))
}
