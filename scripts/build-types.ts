import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Writes the declarations of the Node library, for ES modules and for CommonJS: only those that its entries export or need. */
const root = fileURLToPath(new URL('..', import.meta.url))
const emitted = mkdtempSync(join(tmpdir(), 'crm-types-'))
const shown = join(root, 'dist/types')

const ENTRIES = ['index.d.ts', 'sandbox/start-sandbox.d.ts', 'library/verify-webhook.d.ts']

const tsc = join(root, 'node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.library.json', '--outDir', emitted], {
  cwd: root,
  stdio: 'inherit',
})
rmSync(shown, { recursive: true, force: true })
const done = new Set<string>()
for (const entry of ENTRIES) copyWithImports(join(emitted, entry))
rmSync(emitted, { recursive: true })

/** A consumer's compiler resolves `x.js` to `x.d.ts` and `x.cjs` to `x.d.cts`, and cannot resolve `x.ts`. */
function copyWithImports(file: string): void {
  if (done.has(file)) return
  done.add(file)
  const imports = /(from ')(\.[^']+)\.ts(')/g
  const text = withLibraries(readFileSync(file, 'utf8'))
  const target = join(shown, relative(emitted, file))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text.replace(imports, '$1$2.js$3'))
  writeFileSync(target.replace(/\.ts$/, '.cts'), text.replace(imports, '$1$2.cjs$3'))
  for (const [, , path = ''] of text.matchAll(imports)) copyWithImports(join(dirname(file), `${path}.d.ts`))
}

/** The compiler of a consumer may have been given fewer libraries, and check declarations. */
function withLibraries(text: string): string {
  return text.includes('AsyncDisposable') ? `/// <reference lib="esnext.disposable" />\n${text}` : text
}
