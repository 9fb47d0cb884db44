import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { commandTree, leavesOf } from '../scripts/reference/command-tree.ts'
import { GENERATED_FOLDERS, generatedFiles } from '../scripts/reference/generated-files.ts'
import { OUTPUT_NAMES } from '../src/commands/schema/outputs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Commands that print no JSON: they talk on stderr, draw, write a file of another kind, or run another command. */
const WITHOUT_JSON = [
  'auth login',
  'auth logout',
  'auth switch',
  'browse',
  'completion',
  'config set',
  'connectors create',
  'fixtures export',
  'sandbox run',
  'sandbox stop',
  'serve keys revoke',
]

function readAll(folder: string): [string, string][] {
  return readdirSync(`${ROOT}${folder}`).map((name) => [
    `${folder}${name}`,
    readFileSync(`${ROOT}${folder}${name}`, 'utf8'),
  ])
}

test.each(GENERATED_FOLDERS)('%s holds what npm run reference writes, and nothing else', async (folder) => {
  const made = [...(await generatedFiles())].filter(([path]) => path.startsWith(folder))
  expect(Object.fromEntries(readAll(folder))).toEqual(Object.fromEntries(made))
})

test('every command that can print JSON has a schema, and no schema is without a command', async () => {
  const names = leavesOf(await commandTree()).map(({ name }) => name)
  expect(names.filter((name) => !OUTPUT_NAMES.includes(name))).toEqual(
    names.filter((name) => WITHOUT_JSON.includes(name)),
  )
  expect(OUTPUT_NAMES.filter((name) => !names.includes(name))).toEqual(['error'])
})

test('every schema is one in the dialect that it names', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } })
  for (const [path, text] of readAll('schemas/')) expect(() => ajv.compile(JSON.parse(text)), path).not.toThrow()
})

test('the package names every man page', () => {
  const { man } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { man: string[] }
  expect(man.toSorted()).toEqual(
    readdirSync(`${ROOT}man`)
      .map((name) => `./man/${name}`)
      .toSorted(),
  )
})

test('every command has a man page, and every page that another one names exists', async () => {
  const names = readdirSync(`${ROOT}man`).map((name) => name.slice(0, -'.1'.length))
  const commands = leavesOf(await commandTree()).map(({ name }) => `crm-${name.replaceAll(' ', '-')}`)
  expect(commands.filter((name) => !names.includes(name))).toEqual([])
  const named = readAll('man/').flatMap(([, text]) => [...text.matchAll(/^\.BR (crm\S*) \(1\)/gm)])
  expect(named.length).toBeGreaterThan(commands.length)
  expect(named.filter(([, name = '']) => !names.includes(name.replaceAll('\\', '')))).toEqual([])
})

const hasGroff = spawnSync('groff', ['--version']).status === 0

test.skipIf(!hasGroff)('groff has nothing to say about the man pages (skipped where groff is not installed)', () => {
  const pages = readdirSync(`${ROOT}man`).map((name) => `${ROOT}man/${name}`)
  const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z', ...pages], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
