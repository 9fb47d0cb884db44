import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { expect, test } from 'vitest'
import { pack } from '../../scripts/packed.ts'
import { tempFolder } from '../harness/home.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Each lets us hand its code on with its text beside it; Apache-2.0 also wants NOTICE files, and a word where code was changed. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']

const page = readFileSync(join(ROOT, 'docs/packaging.md'), 'utf8')

function stated(what: string): string {
  return new RegExp(`^\\| ${what} \\| (.*) \\|$`, 'm').exec(page)?.[1] ?? ''
}

/** The names and the licences at the head of the notices. */
function bundled(): readonly (readonly [name: string, licence: string])[] {
  const notices = readFileSync(join(ROOT, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  return [...notices.matchAll(/^ {2}(\S+) \S+ {2}(\S+)$/gm)].map(([, name = '', licence = '']) => [name, licence])
}

test('publint finds nothing in the tarball, and its size is the one that docs/packaging.md states', async () => {
  const { tarball, sizeBytes, unpackedBytes } = pack(tempFolder())
  const [packedMb = 0, unpackedMb = 0] = [...stated('size').matchAll(/[\d.]+/g)].map(Number)
  expect(Math.abs(sizeBytes / 1e6 / packedMb - 1)).toBeLessThan(0.15)
  expect(Math.abs(unpackedBytes / 1e6 / unpackedMb - 1)).toBeLessThan(0.15)
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
  expect(files).toContain('package/dist/THIRD-PARTY-NOTICES.txt')
  expect(files).not.toMatch(/meta\.json|node_modules|\.ts$(?<!\.d\.ts)/m)
  const bytes = readFileSync(tarball)
  const { messages } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer } })
  expect(messages).toEqual([])
})

test('the package depends on as many others as the page says, and runs no script when it is installed', () => {
  const {
    dependencies = {},
    peerDependencies,
    peerDependenciesMeta,
    scripts,
  } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(Object.keys(dependencies)).toHaveLength(Number(stated('packages it depends on')))
  for (const name of Object.keys(peerDependencies)) expect(peerDependenciesMeta[name]).toEqual({ optional: true })
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts).not.toHaveProperty(name)
})

test('what is bundled may be, and is counted on the page', () => {
  const licences = bundled().map(([, licence]) => licence)
  expect(licences.filter((licence) => !ALLOWED.includes(licence))).toEqual([])
  const counts = ['MIT', 'BSD-3-Clause', 'ISC', 'Apache-2.0'].map((licence) => [
    licences.filter((each) => each === licence).length,
    licence,
  ])
  const sentence = `${licences.length}: ${counts.map((each) => each.join(' ')).join(', ')}`
  expect(stated('packages it holds code of')).toBe(sentence)
})

test('code that a package has compiled into itself is named too', () => {
  const notices = readFileSync(join(ROOT, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  for (const name of ['Stephen Dolan', 'K.Kosako', 'Lucent Technologies', 'changed by the build']) {
    expect(notices).toContain(name)
  }
})
