import { execFileSync } from 'node:child_process'
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commitTime, crmVersion } from './commit.ts'
import type { TargetNode } from './node-for.ts'
import { COMPLETIONS, copyManuals, notices, writeCompletion, writeProgram } from './program-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CONTROL = fileURLToPath(new URL('debian', import.meta.url))

/** Where Debian keeps the completion scripts of packages. */
const COMPLETION_FOLDERS = {
  bash: 'usr/share/bash-completion/completions',
  zsh: 'usr/share/zsh/vendor-completions',
  fish: 'usr/share/fish/vendor_completions.d',
} as const

interface Parts {
  readonly node: TargetNode
  readonly out: string
  readonly folder: string
}

/** Writes `crm_VERSION_amd64.deb`, whose control files are in `scripts/standalone/debian`. */
export function writeDebianPackage({ node, out, folder }: Parts): void {
  const root = join(folder, 'deb')
  writeProgram(join(root, 'usr/lib/crm'), 'linux-x64', node)
  place(root, 'usr/bin/crm', (file) => symlinkSync('../lib/crm/crm', file))
  copyManuals(join(root, 'usr/share/man/man1'))
  for (const [shell, name] of Object.entries(COMPLETIONS))
    writeCompletion(shell, join(root, COMPLETION_FOLDERS[shell as keyof typeof COMPLETIONS], name))
  place(root, 'usr/share/doc/crm/copyright', (file) =>
    writeFileSync(file, `${readFileSync(join(ROOT, 'LICENSE'), 'utf8')}\n${notices(node)}`),
  )
  place(root, 'usr/share/doc/crm/changelog', (file) => copyFileSync(join(ROOT, 'CHANGELOG.md'), file))
  place(root, 'usr/lib/systemd/system/crm.service', (file) => copyFileSync(join(CONTROL, 'crm.service'), file))
  place(root, 'usr/lib/sysusers.d/crm.conf', (file) => copyFileSync(join(CONTROL, 'crm.sysusers'), file))
  compress(join(root, 'usr/share/man/man1'))
  compress(join(root, 'usr/share/doc/crm'), /^changelog/)
  const control = readFileSync(join(CONTROL, 'control'), 'utf8')
  place(root, 'DEBIAN/control', (file) =>
    writeFileSync(file, control.replace('@VERSION@', crmVersion()).replace('@KIB@', installedKib(join(root, 'usr')))),
  )
  for (const script of ['postinst', 'prerm', 'postrm'])
    place(root, `DEBIAN/${script}`, (file) => {
      copyFileSync(join(CONTROL, script), file)
      execFileSync('chmod', ['755', file])
    })
  execFileSync('chmod', ['-R', 'go+rX,go-w', root])
  const env = { ...process.env, SOURCE_DATE_EPOCH: commitTime() }
  const file = join(out, `crm_${crmVersion()}_amd64.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', root, file], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** By policy 5.6.20, of the files alone: what folders and blocks take differs between file systems, and packages must not. */
function installedKib(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sizes = names.map((name) => lstatSync(join(folder, name))).map((stats) => (stats.isFile() ? stats.size : 0))
  return String(sizes.reduce((total, size) => total + Math.ceil(size / 1024), 0))
}

function place(root: string, path: string, write: (file: string) => void): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  write(file)
}

/** Policy 12.1 and 12.7: manual pages and changelogs are compressed, without a time. */
function compress(folder: string, only = /./): void {
  for (const name of readdirSync(folder)) if (only.test(name)) execFileSync('gzip', ['-9n', join(folder, name)])
}
