import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { OBJECTS_FILE, objectsText } from '../scripts/objects.ts'
import { commandTree, leavesOf } from '../scripts/reference/command-tree.ts'
import { generatedFiles } from '../scripts/reference/generated-files.ts'
import { OUTPUT_NAMES } from '../src/commands/schema/outputs.ts'
import { tempFolder } from './harness/home.ts'

const files = [...(await generatedFiles())]
const manuals = files.filter(([path]) => path.startsWith('man/'))
const schemas = files.filter(([path]) => path.startsWith('schemas/'))
const commands = leavesOf(await commandTree()).map(({ name }) => name)

test('no schema is without a command, but that of errors', () => {
  expect(OUTPUT_NAMES.filter((name) => !commands.includes(name))).toEqual(['error'])
})

test('every schema is one in the dialect that it names', () => {
  expect(schemas.length).toBeGreaterThan(OUTPUT_NAMES.length)
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } })
  for (const [path, text] of schemas) expect(() => ajv.compile(JSON.parse(text)), path).not.toThrow()
})

test('package.json in git names no man page: the list is added when the package is packed', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8'))).not.toHaveProperty('man')
})

test('every command has a man page, and every page that another one names exists', () => {
  const names = manuals.map(([path]) => basename(path, '.1'))
  expect(commands.filter((name) => !names.includes(`crm-${name.replaceAll(' ', '-')}`))).toEqual([])
  const named = manuals.flatMap(([, text]) => [...text.matchAll(/^\.BR (crm\S*) \(1\)/gm)])
  expect(named.length).toBeGreaterThan(commands.length)
  expect(named.filter(([, name = '']) => !names.includes(name.replaceAll('\\', '')))).toEqual([])
})

const hasGroff = spawnSync('groff', ['--version']).status === 0

test.skipIf(!hasGroff)('groff has nothing to say about the man pages (skipped where groff is not installed)', () => {
  const folder = tempFolder()
  const pages = manuals.map(([path, text]) => {
    const page = join(folder, basename(path))
    writeFileSync(page, text)
    return page
  })
  const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z', ...pages], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('the objects of the program are what npm run build writes from the two connectors of the contract', () => {
  expect(readFileSync(OBJECTS_FILE, 'utf8')).toBe(objectsText())
})
