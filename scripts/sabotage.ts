import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SABOTAGES, type Sabotage } from '../test/sabotage/sabotages.ts'

/**
 * `npm run sabotage [-- WORD]`: takes one rule at a time away in a copy of the tree, and runs the tests that must notice it;
 * exits with 1 when they pass all the same. With a word only the sabotages whose name holds it.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')

const copy = mkdtempSync(join(tmpdir(), 'crm-sabotage-'))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
copyTree()

const [word = ''] = process.argv.slice(2)
const chosen = SABOTAGES.filter(({ name }) => name.includes(word))
if (chosen.length === 0) throw new Error(`no sabotage is called ${word}`)
const whole = runTests([...new Set(chosen.flatMap(({ tests }) => tests))])
if (whole.status !== 0) throw new Error(`the tests fail without any sabotage:\n${whole.output}`)
const unnoticed = chosen.filter((sabotage) => !isNoticed(sabotage))
console.log(`${chosen.length - unnoticed.length} of ${chosen.length} are noticed`)
if (unnoticed.length > 0) process.exitCode = 1

/** All that git knows or would add, with the packages of this tree. */
function copyTree(): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' })
  for (const name of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, name)), { recursive: true })
    copyFileSync(join(ROOT, name), join(copy, name))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
}

function isNoticed({ name, file, from, to, tests }: Sabotage): boolean {
  const path = join(copy, file)
  const sound = readFileSync(path, 'utf8')
  if (sound.split(from).length !== 2) throw new Error(`${name}: ${JSON.stringify(from)} does not stand once in ${file}`)
  writeFileSync(
    path,
    sound.replace(from, () => to),
  )
  try {
    const { status, output } = runTests(tests)
    // A file that cannot be read any more fails too, and proves nothing.
    const hasRun = /Tests .*[1-9]\d* failed/.test(output)
    const verdict = status === 0 ? 'NOT NOTICED' : hasRun ? 'noticed' : `BROKEN\n${output}`
    console.log(`${verdict}: ${name}`)
    return status !== 0 && hasRun
  } finally {
    writeFileSync(path, sound)
  }
}

function runTests(tests: readonly string[]): { readonly status: number | null; readonly output: string } {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
  const run = spawnSync(process.execPath, [VITEST, 'run', ...tests], { cwd: copy, env, encoding: 'utf8' })
  return { status: run.status, output: `${run.stdout}${run.stderr}` }
}
