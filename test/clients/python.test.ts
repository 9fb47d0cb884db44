import { execFile, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
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
const hasBuild = isThere && spawnSync(PYTHON, ['-c', 'import build, setuptools, wheel']).status === 0
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

describe.skipIf(!hasBuild)(
  `the package${hasBuild ? '' : ' (skipped: python3-build or python3-wheel is not installed)'}`,
  () => {
    test('is built by what Debian has, and imported with its types from the wheel', async () => {
      const folder = join(tempFolder(), 'python')
      cpSync(PACKAGE, folder, { recursive: true })
      await run(PYTHON, ['-m', 'build', '--no-isolation'], { cwd: folder })
      const made = readdirSync(join(folder, 'dist')).toSorted()
      expect(made).toEqual(['crm-client-0.1.0.tar.gz', 'crm_client-0.1.0-py3-none-any.whl'])
      const wheel = join(folder, 'dist', made[1] ?? '')
      const code = `import crm_client, importlib.metadata as m, importlib.resources as r
print(crm_client.__version__, r.files(crm_client).joinpath("py.typed").is_file())
print("MIT License" in m.distribution("crm-client").read_text("LICENSE"), m.metadata("crm-client").get_all("Classifier")[-1])`
      const { stdout } = await run(PYTHON, ['-c', code], { env: { PYTHONPATH: wheel } })
      expect(stdout).toBe('0.1.0 True\nTrue Typing :: Typed\n')
    })
  },
)

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
