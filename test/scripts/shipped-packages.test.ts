import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { judgeAudit, licencesText, shippedPackages } from '../../scripts/shipped-packages.ts'

const packages = shippedPackages()
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('nothing that is installed with crm, nor crm itself, runs a script when it is installed', () => {
  const { scripts } = JSON.parse(read('package.json'))
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([])
  expect(packages.filter(({ isBundled, hasInstallScript }) => !isBundled && hasInstallScript)).toEqual([])
})

test('the keyring is the only package beside the bundle, and optional', () => {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    read('package.json'),
  )
  // Of optional dependencies, npm asks a registry, which may not be there, for minutes.
  expect({ dependencies, optionalDependencies }).toEqual({})
  expect(Object.keys(peerDependencies)).toEqual(['@napi-rs/keyring'])
  expect(peerDependenciesMeta).toEqual({ '@napi-rs/keyring': { optional: true } })
  const installed = packages.filter(({ isBundled }) => !isBundled).map(({ name }) => name)
  expect(installed.filter((name) => !name.startsWith('@napi-rs/keyring'))).toEqual([])
  expect(packages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['undici', 'commander', '@napi-rs/keyring-linux-x64-gnu']),
  )
})

test('every licence lets its package be shipped, and docs/licences.md lists them', () => {
  const free = /^(?:MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD|BlueOak-1\.0\.0)$/
  expect(packages.filter(({ licence }) => !free.test(licence))).toEqual([])
  expect(read('docs/licences.md'), 'node scripts/licences.ts writes it anew').toBe(licencesText(packages))
})

test('an audit is judged by what is shipped, and one that cannot be asked for is none', () => {
  const vulnerabilities = {
    undici: { name: 'undici', severity: 'high', nodes: ['node_modules/undici'] },
    vitest: { name: 'vitest', severity: 'low', nodes: ['node_modules/vitest'] },
  }
  const paths = new Set(packages.map(({ path }) => path))
  expect(judgeAudit(JSON.stringify({ vulnerabilities }), paths)).toEqual({
    shipped: ['undici (high)'],
    others: ['vitest (low)'],
  })
  expect(judgeAudit(JSON.stringify({ message: '405 Method Not Allowed', error: {} }), paths)).toBeUndefined()
})
