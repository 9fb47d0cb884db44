import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { commitTime, crmVersion } from './standalone/commit.ts'
import { writeDebianPackage } from './standalone/debian.ts'
import { HOST, nodeFor, TARGETS, type TargetNode } from './standalone/node-for.ts'
import { COMPLETIONS, copyManuals, notices, writeCompletion, writeProgram } from './standalone/program-folder.ts'
import { writeSbom } from './standalone/sbom.ts'

/**
 * `npm run standalone [-- --target linux-x64,... | all] [--out FOLDER]`: crm for a machine without Node, which it
 * carries, in an archive for each target, for linux-x64 also as a Debian package, with an SBOM and SHA256SUMS. It uses the build in
 * `dist`.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    target: { type: 'string', default: HOST },
    out: { type: 'string', default: 'standalone' },
  },
})
const targets = values.target === 'all' ? TARGETS : values.target.split(',')
const unknown = targets.find((target) => !TARGETS.includes(target))
if (unknown !== undefined)
  throw new Error(`there is no target ${unknown}, expected one of ${TARGETS.join(', ')}, or all`)

const out = resolve(values.out)
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'crm-standalone-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

for (const target of targets) {
  const folder = join(work, target)
  mkdirSync(folder)
  const node = nodeFor(target, folder)
  writeArchive(folder, target, node)
  if (target === 'linux-x64') writeDebianPackage({ node, out, folder })
}
writeSbom(out)
writeSums(out)

/** Writes `crm-VERSION-TARGET.tar.gz`: the program with its Node, manual pages, completions and licences. */
function writeArchive(work: string, target: string, node: TargetNode): void {
  const name = `crm-${crmVersion()}-${target}`
  const folder = join(work, 'archive', name)
  writeProgram(folder, target, node)
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices(node))
  copyManuals(join(folder, 'man'))
  for (const [shell, file] of Object.entries(COMPLETIONS)) writeCompletion(shell, join(folder, 'completions', file))
  // Equal bytes for equal files: sorted, of the time of the commit, owned by root, and gzip without a time of its own.
  const same = ['--sort=name', `--mtime=@${commitTime()}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w']
  const archive = join(out, `${name}.tar.gz`)
  execFileSync('tar', [...same, '-I', 'gzip -n', '-cf', archive, '-C', join(work, 'archive'), name])
}

/** `SHA256SUMS` of all files in the folder, as `sha256sum -c` reads it. */
function writeSums(folder: string): void {
  const sumOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  const lines = readdirSync(folder)
    .toSorted()
    .map((name) => `${sumOf(name)}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}
