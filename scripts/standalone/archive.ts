import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commitTime, crmVersion } from './commit.ts'
import type { TargetNode } from './node-for.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The file of the completion script for each shell, as the shells look for it. */
export const COMPLETIONS = { bash: 'crm', zsh: '_crm', fish: 'crm.fish' } as const

interface Parts {
  readonly target: string
  readonly program: string
  readonly node: TargetNode
  readonly out: string
}

/** Writes `crm-VERSION-TARGET.tar.gz`: the program, manual pages, completions and licences. */
export function packProgram({ target, program, node, out }: Parts): void {
  const name = `crm-${crmVersion()}-${target}`
  const place = mkdtempSync(join(dirname(program), 'archive-'))
  const folder = join(place, name)
  mkdirSync(folder)
  copyFileSync(program, join(folder, basename(program)))
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices(node))
  copyManuals(join(folder, 'man'))
  for (const [shell, file] of Object.entries(COMPLETIONS)) writeCompletion(shell, join(folder, 'completions', file))
  const archive = join(out, `${name}.tar.gz`)
  // Equal bytes for equal files: sorted, of the time of the commit, owned by root, and gzip without a time of its own.
  const same = ['--sort=name', `--mtime=@${commitTime()}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w']
  execFileSync('tar', [...same, '-I', 'gzip -n', '-cf', archive, '-C', place, name])
}

export function notices({ version, licence }: TargetNode): string {
  const own = execFileSync('cat', [join(ROOT, 'dist/THIRD-PARTY-NOTICES.txt')], { encoding: 'utf8' })
  return `${own}\n${'-'.repeat(78)}\nNode.js ${version}, which this program contains\n\n${licence}`
}

export function copyManuals(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const page of readdirSync(join(ROOT, 'man'))) copyFileSync(join(ROOT, 'man', page), join(folder, page))
}

export function writeCompletion(shell: string, file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const script = execFileSync(process.execPath, [join(ROOT, 'bin/crm.js'), 'completion', shell], { encoding: 'utf8' })
  writeFileSync(file, script)
}
