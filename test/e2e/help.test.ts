import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/core/exit.ts'
import { emptyHome } from '../harness/home.ts'
import { crm, crmPrints } from './crm.ts'
import { loadedBy } from './loaded-modules.ts'

describe('help on topics', () => {
  test('is listed at the end of help', async () => {
    const { exit, stdout } = await crm(['--help'], emptyHome())
    expect(exit).toBe(0)
    for (const topic of ['exit-codes', 'environment', 'output', 'connector-format'])
      expect(stdout).toContain(`  crm help ${topic} `)
  })

  test('has every exit code, and no line that is wider than the help of commands', async () => {
    const text = await crmPrints(['help', 'exit-codes'], emptyHome())
    for (const code of Object.values(EXIT)) expect(text).toMatch(new RegExp(`^  ${code} +\\S`, 'm'))
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  test('has every object of a connector with its members, and what a value is', async () => {
    const text = await crmPrints(['help', 'connector-format'], emptyHome())
    expect(text).toMatch(/^error_kind:\n {2}status +status of the answer; a 2xx .* \(200 to 599\)$/m)
    expect(text).toMatch(/^At least one of status, when is required\.$/m)
    expect(text).toMatch(/^auth_header:\n {2}in +a header \(required; header\)$/m)
    expect(text).toMatch(/absent: true: the last page|absent +true: the last page has nothing at next;/)
    expect(text).toContain('{{ is a brace')
  })

  test('is loaded when it is asked for, with cli-table3 and no module that a mistyped command does not load', async () => {
    const { parts } = await loadedBy(['help', 'environment'], emptyHome())
    const { parts: ofProgram } = await loadedBy(['zebra'], emptyHome())
    expect(parts).toContain('cli-table3')
    expect(parts.filter((part) => part.startsWith('src/'))).toEqual(ofProgram.filter((part) => part.startsWith('src/')))
  })
})

describe('a misspelt word is answered with the closest one', () => {
  test.each([
    [['contcats', 'list'], "unknown command 'contcats'; did you mean contacts?", 'crm --help'],
    [['contacts', 'lsit'], "unknown command 'lsit'; did you mean list?", 'crm contacts --help'],
    [['serve', 'kyes', 'list'], "unknown command 'kyes'; did you mean keys?", 'crm serve --help'],
    [['contacts', 'list', '--limt', '3'], "unknown option '--limt'; did you mean --limit?", 'crm contacts list --help'],
    [['contacts', 'list', '--hlep'], "unknown option '--hlep'; did you mean --help?", 'crm contacts list --help'],
    [['contacts', '--limit', '3', 'list'], '--limit belongs after list', 'crm contacts list --help'],
    [['deals', 'list', '--quite'], "unknown option '--quite'; did you mean --quiet?", 'crm deals list --help'],
    [['help', 'exit-code'], "unknown command or topic 'exit-code'; did you mean exit-codes?", 'crm --help'],
    [['help', 'deals', 'lits'], "unknown command 'lits'; did you mean list?", 'crm deals --help'],
    [['zebra'], "unknown command 'zebra'", 'crm --help'],
  ])('%j', async (args, message, hint) => {
    expect(await crm(args, emptyHome())).toEqual({ exit: 2, stdout: '', stderr: `crm: ${message}\n  ${hint}\n` })
  })
})
