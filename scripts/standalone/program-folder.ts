import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TargetNode } from './node-for.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The file of the completion script for each shell, as the shells look for it. */
export const COMPLETIONS = { bash: 'crm', zsh: '_crm', fish: 'crm.fish' } as const

/** What the command line reads, at its places below the package. */
const PARTS = ['package.json', 'bin', 'dist/cli', 'dist/screens', 'connectors']

/** Beside the package, so that the folder can stand anywhere; `crm` may be a link to it in a folder of PATH. */
const LAUNCHERS = {
  crm: `#!/bin/sh
self=$0
if [ -L "$self" ]; then self=$(readlink -f -- "$self"); fi
exec "\${self%/*}/node" "\${self%/*}/bin/crm.js" "$@"
`,
  'crm.cmd': '@"%~dp0node.exe" "%~dp0bin\\crm.js" %*\r\n',
} as const

/** Writes the package with Node beside it, the binding of the keyring where there is one, and what starts it. */
export function writeProgram(folder: string, target: string, node: TargetNode): void {
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  for (const name of keyringPackages(target)) {
    cpSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  }
  const isWindows = target.startsWith('win')
  cpSync(node.program, join(folder, isWindows ? 'node.exe' : 'node'))
  const launcher = isWindows ? 'crm.cmd' : 'crm'
  writeFileSync(join(folder, launcher), LAUNCHERS[launcher], { mode: 0o755 })
}

/** A build for another platform has none, and keeps keys in a file. */
function keyringPackages(target: string): readonly string[] {
  const binding = `@napi-rs/keyring-${target}${target.startsWith('linux') ? '-gnu' : ''}`
  return existsSync(join(ROOT, 'node_modules', binding)) ? ['@napi-rs/keyring', binding] : []
}

export function notices({ version, licence }: TargetNode): string {
  const own = readFileSync(join(ROOT, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  return `${own}\n${'-'.repeat(78)}\nNode.js ${version}, which is in the folder\n\n${licence}`
}

export function copyManuals(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const page of readdirSync(join(ROOT, 'man'))) cpSync(join(ROOT, 'man', page), join(folder, page))
}

export function writeCompletion(shell: string, file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const script = execFileSync(process.execPath, [join(ROOT, 'bin/crm.js'), 'completion', shell], { encoding: 'utf8' })
  writeFileSync(file, script)
}
