import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isInstalled } from '../../scripts/clients/conformance/run-suite.ts'
import { type Language, readLanguages } from '../../scripts/clients/conformance/suite.ts'
import { tempFolder } from '../harness/home.ts'
import { examplesIn, withService } from './examples.ts'

const PYTHON = '/usr/bin/python3'
const PACKAGE = fileURLToPath(new URL('../../clients/python', import.meta.url))
const run = promisify(execFile)

const isThere = isInstalled(readLanguages().python as Language)
const hasMypy = isThere && spawnSync(PYTHON, ['-m', 'mypy', '--version']).status === 0

const EXAMPLES = examplesIn(join(PACKAGE, 'README.md'), 'python')

function exampleFile(code: string): string {
  const file = join(tempFolder(), 'example.py')
  writeFileSync(file, code)
  return file
}

describe.skipIf(!isThere)(`the examples in README.md${isThere ? '' : ' (skipped: Python is not installed)'}`, () => {
  test.each(EXAMPLES.map((code, at) => [at + 1, code] as const))('number %i runs', async (_, code) => {
    await withService(async (service) => {
      const env = { ...service, PYTHONPATH: PACKAGE, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'error' }
      await run(PYTHON, [exampleFile(code)], { env })
    })
  })
})

describe.skipIf(!hasMypy)(`types${hasMypy ? '' : ' (skipped: python3-mypy is not installed)'}`, () => {
  const check = (...files: readonly string[]) => {
    const args = ['-m', 'mypy', '--strict', '--cache-dir', tempFolder(), ...files]
    const { status, stdout } = spawnSync(PYTHON, args, { env: { MYPYPATH: PACKAGE }, cwd: PACKAGE, encoding: 'utf8' })
    return { status, stdout }
  }

  test('mypy --strict has nothing to say about the client', () => {
    expect(check('crm_client')).toEqual({ status: 0, stdout: expect.stringContaining('no issues found') })
  })

  test('mypy --strict accepts the examples', () => {
    for (const code of EXAMPLES) expect(check(exampleFile(code))).toMatchObject({ status: 0 })
  })

  test('mypy finds a misspelt member and an amount that is text', () => {
    const code = `from crm_client import Client
Client().deals.create({"name": "Engine", "stag": "Lead"})
Client().deals.create({"name": "Engine", "stage": "Lead", "amount": "5"})
`
    const { stdout } = check(exampleFile(code))
    expect(stdout).toMatch(/example\.py:2: error: .*\n(?:.*\n)*?.*example\.py:3: error: /)
  })
})
