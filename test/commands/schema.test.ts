import { describe, expect } from 'vitest'
import { generatedFiles } from '../../scripts/reference/generated-files.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { type Env, emptyHome } from '../harness/home.ts'
import { test } from '../harness/shared-service.ts'

const FIXTURES = 'examples/fixtures.yaml'

describe('crm schema', () => {
  test('prints the schema that the package has as a file, for words as for one name', async () => {
    const file = (await generatedFiles()).get('schemas/contacts-list.json')
    expect(await crmPrints(['schema', 'contacts', 'list'], emptyHome())).toBe(file)
    expect(await crmPrints(['schema', 'contacts list'], emptyHome())).toBe(file)
  })

  test('without a command names all that have one, in every JSON format', async () => {
    const names = (await crmPrints(['schema'], emptyHome())).trimEnd().split('\n')
    expect(names).toEqual(expect.arrayContaining(['contacts list', 'error', 'listen']))
    expect(JSON.parse(await crmPrints(['schema', '-o', 'json'], emptyHome()))).toEqual(names)
    const lines = (await crmPrints(['schema', '-o', 'jsonl'], emptyHome())).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(names)
  })

  test('of a misspelt name suggests the right one, and of a group lists its commands', async () => {
    const typo = await crm(['schema', 'contcts', 'list'], emptyHome())
    expect(typo).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: expect.stringContaining('\n  crm schema contacts list\n'),
    })
    const group = await crm(['schema', 'jobs'], emptyHome())
    expect(group).toMatchObject({ exit: 2, stderr: expect.stringContaining('jobs list, jobs show, ') })
  })
})

/** What no other test asks for as JSON; the harness holds each against its schema. */
test.for([
  'pipelines list',
  'deals export -',
  'jobs prune',
  `fixtures validate ${FIXTURES}`,
  `fixtures plan ${FIXTURES}`,
  'fixtures schema',
  'auth token',
  'config path',
  'deals list --summary stage',
])('the output of crm %s matches its schema', async (line, { service }) => {
  expect(JSON.parse(await crmPrints([...line.split(' '), '-o', 'json'], service.env))).not.toBeNull()
})

test('the lines of a snapshot are what its schema says', async ({ service }) => {
  const env: Env = service.env
  await crmPrints(['deals', 'create', '--set', 'name=Big', '--set', 'stage=Lead'], env)
  expect((await crmPrints(['snapshot', '-o', 'jsonl'], env)).split('\n').length).toBeGreaterThan(3)
})
