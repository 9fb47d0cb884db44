import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { compiledFolder, JOINED } from '../../src/loader/bundle.ts'
import { tempFolder } from '../harness/home.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Loads every chunk that there is compiled code for, but the one that runs the command line, and prints which code V8 refused. */
const REFUSED = `
  const [folder, ...names] = process.argv.slice(1)
  const refused = []
  const { bundleIn, createChunkLoader } = require(folder + '/chunk-loader.js')
  const load = createChunkLoader(bundleIn(folder, process), {
    onCompiled(name, script) {
      if (script.cachedDataRejected !== false) refused.push(name)
    },
  })
  for (const name of names) load('chunks/' + name)
  console.log(refused.join())
`

function copyOfBuild(): { readonly crm: string; readonly chunks: string; readonly compiled: string } {
  const root = tempFolder()
  for (const part of ['bin', 'dist/cli']) cpSync(join(ROOT, part), join(root, part), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  const chunks = join(root, 'dist/cli')
  return { crm: join(root, 'bin/crm.js'), chunks, compiled: compiledFolder(chunks, process) }
}

function refused(chunks: string, compiled: string): string {
  const names = readdirSync(compiled).filter((name) => existsSync(join(chunks, 'chunks', name)))
  return execFileSync(process.execPath, ['-e', REFUSED, chunks, ...names], { encoding: 'utf8' }).trim()
}

describe('code compiled during the build', () => {
  test('is accepted by the runtime that created it, including the program and the client', () => {
    const { chunks, compiled } = copyOfBuild()
    expect(readdirSync(compiled)).toEqual(expect.arrayContaining(Object.values(JOINED)))
    expect(refused(chunks, compiled)).toBe('')
  })

  test('that V8 refuses is compiled again, and crm works as before', () => {
    const { crm, chunks, compiled } = copyOfBuild()
    const help = execFileSync(process.execPath, [crm, '--help'], { encoding: 'utf8' })
    for (const name of readdirSync(compiled)) writeFileSync(join(compiled, name), 'of another runtime')
    expect(refused(chunks, compiled)).toContain(JOINED.requests)
    expect(execFileSync(process.execPath, [crm, '--help'], { encoding: 'utf8' })).toBe(help)
  })
})
