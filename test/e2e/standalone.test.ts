import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { emptyHome, tempFolder } from '../harness/home.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HOST = `${process.platform}-${process.arch}`
/** Programs of Debian, which other systems lack. */
const hasProgram = (name: string) => spawnSync(name, ['--version']).error === undefined
const isRoot = process.getuid?.() === 0

let out = ''
let crm = ''

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>>, input = '') {
  const { status, stdout, stderr } = spawnSync(program, args, { env, input, encoding: 'utf8' })
  return { exit: status, stdout, stderr }
}

function makeStandalone(folder: string): void {
  const script = join(ROOT, 'scripts/standalone.ts')
  execFileSync(process.execPath, [script, '--out', folder], { stdio: ['ignore', 'ignore', 'pipe'] })
}

function archive(): string {
  return readdirSync(out).find((name) => name.endsWith('.tar.gz')) ?? ''
}

beforeAll(() => {
  out = tempFolder(cleanUpLater)
  makeStandalone(out)
  const unpacked = tempFolder(cleanUpLater)
  execFileSync('tar', ['-xzf', join(out, archive()), '-C', unpacked])
  crm = join(unpacked, archive().replace('.tar.gz', ''), 'crm')
  return () => {
    for (const work of later) void work()
  }
})

const later: (() => unknown)[] = []

function cleanUpLater(work: () => unknown): void {
  later.push(work)
}

describe('npm run standalone', () => {
  test('writes an archive with the program, manual pages, completions and licences, and sums that are right', () => {
    const names = execFileSync('tar', ['-tzf', join(out, archive())], { encoding: 'utf8' })
    for (const name of [
      'crm\n',
      'man/crm-contacts.1\n',
      'completions/_crm\n',
      'LICENSE\n',
      'THIRD-PARTY-NOTICES.txt\n',
    ])
      expect(names).toContain(`-${HOST}/${name}`)
    const notices = readFileSync(join(dirname(crm), 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    expect(notices).toContain('undici')
    expect(notices).toContain('Node.js 24')
    expect(execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: out, encoding: 'utf8' })).toContain('.tar.gz: OK')
  })

  test('lists the packages with code in crm, and no others, in an SBOM', () => {
    const file = readdirSync(out).find((name) => name.endsWith('.cdx.json')) ?? ''
    const { components } = JSON.parse(readFileSync(join(out, file), 'utf8')) as { components: { name: string }[] }
    const names = components.map(({ name }) => name)
    expect(names).toContain('undici')
    expect(names).not.toContain('vitest')
  })

  test('the program has the service, jobs, tables, YAML, jq and connectors inside', () => {
    const home = emptyHome()
    writeFileSync(join(home.HOME, 'people.csv'), 'name,email\nAda,ada@example.test\nGrace,grace@example.test\n')
    const script = [
      '"$CRM" contacts import "$HOME/people.csv" --yes -q >/dev/null',
      `"$CRM" contacts list --jq 'map(.name) | sort | join(" ")'`,
      '"$CRM" contacts list -o yaml --fields email --limit 1 -q',
      `"$CRM" graphql '{ contacts(first: 1) { nodes { email } } }'`,
    ]
    const { exit, stdout } = run(crm, ['sandbox', 'run', '--', 'sh', '-ec', script.join('\n')], { ...home, CRM: crm })
    expect(stdout).toContain('Ada Grace\n')
    expect(stdout).toContain('- email: grace@example.test\n')
    expect(exit).toBe(0)
    expect(run(crm, ['connectors', 'list', '-o', 'csv'], home).stdout).toContain('\npipedrive,')
    expect(run(crm, ['connectors', 'show', 'hubspot'], home).exit).toBe(0)
  })

  test('help and the version are those of the package', () => {
    const home = emptyHome()
    for (const args of [['--version'], ['--help'], ['contacts', 'import', '--help']])
      expect(run(crm, args, home)).toEqual(run(process.execPath, [join(ROOT, 'bin/crm.js'), ...args], home))
  })

  test('a link in another folder starts it', () => {
    const link = join(tempFolder(), 'crm')
    symlinkSync(crm, link)
    expect(run(link, ['--version'], emptyHome()).stdout).toMatch(/^crm \d/)
    const { exit, stdout } = run('sh', ['-c', 'crm --version'], {
      ...emptyHome(),
      PATH: `${dirname(link)}:${process.env.PATH}`,
    })
    expect({ exit, stdout }).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^crm \d/) })
  })

  test('the keyring is asked with the binding of the archive, and the answer is JSON', () => {
    const task = JSON.stringify({ task: 'read', account: 'nobody', secret: '' })
    const env = emptyHome({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' })
    const { stdout } = run(join(dirname(crm), 'node'), [join(dirname(crm), 'bin/keyring.js')], env, task)
    expect(JSON.parse(stdout)).toEqual({ trouble: expect.not.stringContaining('not installed') })
  })

  test.skipIf(!isRoot || process.platform !== 'linux')(
    'its Node runs it in a system that has the C and C++ libraries and nothing else',
    () => {
      const root = tempFolder()
      const libraries = [
        ...execFileSync('ldd', [join(dirname(crm), 'node')], { encoding: 'utf8' }).matchAll(/(\/\S+) \(/g),
      ].map(([, path = '']) => path)
      for (const file of libraries) copyInto(root, file)
      cpSync(dirname(crm), join(root, 'crm'), { recursive: true })
      for (const folder of ['dev', 'tmp', 'root']) mkdirSync(join(root, folder))
      execFileSync('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3'])
      const own = ['/crm/node', '/crm/bin/crm.js']
      const args = [root, ...own, 'sandbox', 'run', '--', ...own, 'contacts', 'list', '-o', 'json']
      expect(run('/usr/sbin/chroot', args, { HOME: '/root', PATH: '/bin' })).toMatchObject({ exit: 0, stdout: '[]\n' })
    },
  )
})

test('two builds of one commit in two folders are equal byte for byte: the npm package, the archive, the Debian package', () => {
  const folders = [tempFolder(), tempFolder()]
  const sums = folders.map((folder) => {
    copyCheckout(folder)
    execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'ignore', env: NPM_ENV })
    const made = join(folder, 'made')
    execFileSync(process.execPath, ['scripts/standalone.ts', '--out', made], {
      cwd: folder,
      stdio: 'ignore',
      env: NPM_ENV,
    })
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', made], {
      cwd: folder,
      stdio: 'ignore',
      env: NPM_ENV,
    })
    const names = readdirSync(made).filter((name) => name !== 'SHA256SUMS')
    return execFileSync('sha256sum', names.toSorted(), { cwd: made, encoding: 'utf8' })
  })
  expect(sums[0]?.trim().split('\n').length).toBeGreaterThanOrEqual(3)
  expect(sums[1]).toBe(sums[0])
})

/** The time of the commit, which the copies do not have. */
const NPM_ENV = { ...process.env, SOURCE_DATE_EPOCH: '1790000000' }

/** All files of the repository as they are now, and `node_modules` as hard links. */
function copyCheckout(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  for (const name of listed.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)))) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    copyFileSync(join(ROOT, name), join(folder, name))
  }
  // The workspace links to itself by a relative path.
  const links = spawnSync('cp', ['-al', join(ROOT, 'node_modules'), folder], { stdio: 'ignore' })
  if (links.status !== 0) execFileSync('cp', ['-a', join(ROOT, 'node_modules'), folder])
}

describe.skipIf(HOST !== 'linux-x64' || !hasProgram('dpkg-deb'))('the Debian package', () => {
  const file = () => join(out, readdirSync(out).find((name) => name.endsWith('.deb')) ?? '')

  test('holds the program of the archive, compressed manual pages, completions, and a unit that is not enabled', () => {
    const root = tempFolder()
    execFileSync('dpkg-deb', ['-x', file(), root])
    expect(run(join(root, 'usr/bin/crm'), ['--version'], emptyHome())).toEqual(run(crm, ['--version'], emptyHome()))
    for (const path of [
      'usr/share/man/man1/crm-serve.1.gz',
      'usr/share/bash-completion/completions/crm',
      'usr/share/zsh/vendor-completions/_crm',
      'usr/share/fish/vendor_completions.d/crm.fish',
      'usr/share/doc/crm/copyright',
      'usr/lib/systemd/system/crm.service',
    ])
      expect(existsSync(join(root, path)), path).toBe(true)
    expect(existsSync(join(root, 'etc'))).toBe(false)
  })

  test.skipIf(!hasProgram('systemd-analyze'))('has a unit that systemd finds hardened', () => {
    const root = tempFolder()
    execFileSync('dpkg-deb', ['-x', file(), root])
    const unit = join(root, 'usr/lib/systemd/system/crm.service')
    const { stdout } = run('systemd-analyze', ['security', '--offline=true', unit], { PATH: process.env.PATH ?? '' })
    const [, exposure = '10'] = /exposure level for crm\.service: ([\d.]+)/.exec(stdout) ?? []
    expect(Number(exposure)).toBeLessThan(3)
  })
})

function copyInto(root: string, file: string): void {
  mkdirSync(join(root, dirname(file)), { recursive: true })
  copyFileSync(file, join(root, file))
}
