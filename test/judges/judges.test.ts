import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SCHEMA_TEXT } from '../../src/service/graphql/types.ts'
import { openapiDocument } from '../../src/service/openapi/document.ts'
import { ALL_ROUTES } from '../service/all-routes.ts'

const JUDGES = fileURLToPath(new URL('../../tools/judges/node_modules/.bin/', import.meta.url))

/** Too heavy for the main install: 400 packages. `npm ci` in tools/judges brings them. */
const describeWithJudges = describe.skipIf(!existsSync(JUDGES))

const OPENAPI = { fileName: 'openapi.json', text: JSON.stringify(openapiDocument(ALL_ROUTES, '1.2.3')) }
const GRAPHQL = { fileName: 'schema.graphql', text: SCHEMA_TEXT }

const RELAY_RULES = ['relay-connection-types-spec', 'relay-connection-arguments-spec', 'relay-page-info-spec'].join(',')

describeWithJudges('judges of tools/judges (skipped without npm ci in tools/judges)', () => {
  test('redocly finds nothing in the OpenAPI document', { timeout: 60_000 }, async () => {
    const { exit, said } = await judge('redocly', (file) => ['lint', '--format=summary', file], OPENAPI)
    expect({ exit, said }).toEqual({ exit: 0, said: expect.not.stringMatching(/warning|error/i) })
  })

  test('spectral finds nothing in the OpenAPI document', { timeout: 60_000 }, async () => {
    const { exit, said } = await judge('spectral', (file) => ['lint', file, '--fail-severity=hint'], OPENAPI)
    expect({ exit, said }).toEqual({ exit: 0, said: expect.stringContaining('No results') })
  })

  test('the GraphQL schema keeps the rules of Relay, and a schema that does not is found out', {
    timeout: 60_000,
  }, async () => {
    const args = (file: string) => ['--rules', RELAY_RULES, file]
    expect(await judge('graphql-schema-linter', args, GRAPHQL)).toMatchObject({ exit: 0 })
    const bent = { ...GRAPHQL, text: GRAPHQL.text.replaceAll('pageInfo: PageInfo!', 'pageInfo: PageInfo') }
    expect(await judge('graphql-schema-linter', args, bent)).toMatchObject({ exit: 1 })
  })
})

/** What a judge says of a file with this text, on stdout and stderr, and its exit code. */
async function judge(
  name: string,
  args: (file: string) => readonly string[],
  { fileName, text }: { readonly fileName: string; readonly text: string },
): Promise<{ readonly exit: number; readonly said: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-judge-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, fileName)
  writeFileSync(file, text)
  writeFileSync(join(folder, '.spectral.json'), '{"extends":["spectral:oas"]}')
  return new Promise((resolve) => {
    execFile(join(JUDGES, name), args(file), { cwd: folder }, (error, stdout, stderr) =>
      resolve({ exit: error ? Number(error.code) : 0, said: `${stdout}${stderr}` }),
    )
  })
}
