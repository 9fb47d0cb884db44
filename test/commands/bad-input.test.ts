import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { countRequests } from '../harness/request-counter.ts'

const HELP = /^crm .*--help$/

interface Case {
  readonly title: string
  readonly args: readonly string[]
  readonly what: RegExp
  readonly next: RegExp
  readonly code?: 'usage' | 'invalid_input'
  readonly input?: string
}

const USAGE: readonly Case[] = [
  { title: 'an unknown flag', args: ['contacts', 'list', '--nix'], what: /unknown option '--nix'/, next: HELP },
  { title: 'an unknown noun', args: ['nix'], what: /unknown command 'nix'/, next: HELP },
  { title: 'a noun in the singular', args: ['deal', 'list'], what: /'deal'; did you mean deals\?/, next: HELP },
  { title: 'a noun below another', args: ['stage'], what: /'stage'; did you mean pipelines stages\?/, next: HELP },
  {
    title: 'that noun in help',
    args: ['help', 'stages'],
    what: /'stages'; did you mean pipelines stages\?/,
    next: HELP,
  },
  { title: 'an unknown verb', args: ['contacts', 'nix'], what: /unknown command 'nix'/, next: HELP },
  { title: 'an argument too many', args: ['contacts', 'list', 'x'], what: /too many arguments.*x/, next: HELP },
  { title: 'a missing argument', args: ['contacts', 'get'], what: /missing required argument 'id'/, next: HELP },
  { title: 'a flag of another command', args: ['--yes', 'contacts', 'list'], what: /--yes.*contacts list/, next: HELP },
  { title: 'a limit of 0', args: ['contacts', 'list', '--limit', '0'], what: /--limit.*'0'/, next: HELP },
  {
    title: 'a limit that is no number',
    args: ['contacts', 'list', '--limit', '1x'],
    what: /--limit.*'1x'/,
    next: HELP,
  },
  {
    title: 'a time without a unit that exists',
    args: ['contacts', 'list', '--timeout', '5y'],
    what: /'5y'/,
    next: HELP,
  },
  {
    title: 'an empty name in --fields',
    args: ['contacts', 'list', '--fields', 'a,,b'],
    what: /"a,,b"/,
    next: /--fields/,
  },
  { title: 'an empty --fields', args: ['contacts', 'list', '--fields', ''], what: /--fields/, next: /--fields/ },
  { title: '--set without =', args: ['contacts', 'create', '--set', 'name'], what: /--set "name"/, next: /key=/ },
  { title: '--set without a name', args: ['contacts', 'create', '--set', '=x'], what: /--set "=x"/, next: /key=/ },
  { title: '--set with broken JSON', args: ['contacts', 'create', '--set', 'a:={'], what: /a:=\{/, next: /--set/ },
  { title: 'no members at all', args: ['contacts', 'create'], what: /no members/, next: /--set/ },
  { title: '--filter without =', args: ['deals', 'list', '--filter', 'x'], what: /--filter "x"/, next: /--filter/ },
  { title: 'an empty id', args: ['contacts', 'delete', '', '--yes'], what: /id is empty/, next: /crm contacts list/ },
  { title: 'a required flag left out', args: ['webhooks', 'create'], what: /--url/, next: HELP },
  {
    title: '--if-match for several',
    args: ['contacts', 'delete', 'a', 'b', '--if-match', '3'],
    what: /--if-match/,
    next: /./,
  },
  { title: 'a bad port', args: ['serve', '--port', '99999'], what: /'99999'/, next: HELP },
  ...[
    ['keys', 'create', '--expires-in', '99999999d'],
    ['keys', 'create', '--expires-in', '36501d'],
    ['keys', 'rotate', 'key_x', '--overlap', '99999999d'],
    ['keys', 'create', '--rate', '5/10000000000000d'],
    ['keys', 'audit', '--since', '91d'],
    ['keys', 'create', '--name', ' '],
    ['keys', 'create', '--name', 'x'.repeat(201)],
  ].map((args) => ({
    title: args.join(' ').slice(0, 60),
    args: ['serve', ...args],
    what: new RegExp(`'${args.at(-1)}' is invalid\\. Expected`),
    next: HELP,
  })),
  { title: 'a bad rate', args: ['serve', '--rate-limit', 'x'], what: /--rate-limit.*'x'/, next: HELP },
  {
    title: 'a scope that does not exist',
    args: ['serve', 'keys', 'create', '--scopes', 'nix'],
    what: /"nix"/,
    next: /read, write/,
  },
  { title: 'half of a certificate', args: ['serve', '--tls-cert', 'x'], what: /private key/, next: /--tls-key/ },
  { title: 'http open to others', args: ['serve', '--host', '0.0.0.0'], what: /0\.0\.0\.0/, next: /--insecure-http/ },
  { title: 'an unknown setting', args: ['config', 'get', 'nix'], what: /"nix"/, next: /crm config list/ },
  { title: 'an unknown profile', args: ['auth', 'switch', 'nix'], what: /"nix"/, next: /crm auth/ },
  { title: 'settings of no profile', args: ['config', 'list'], what: /no profile/, next: /crm auth login|-p/ },
  {
    title: 'a storage that does not exist',
    args: ['auth', 'login', '--storage', 'cloud'],
    what: /"cloud"/,
    next: /file/,
  },
]

describe('a command line that makes no sense is exit 2 before anything is sent', () => {
  test.concurrent.for(USAGE)('$title', async ({ args, what, next, code = 'usage', input = '' }, { onTestFinished }) => {
    const env = emptyHome({ CRM_BASE_URL: 'http://127.0.0.1:9', CRM_API_KEY: 'key-1234567890' }, onTestFinished)
    await expectRefusal({ args, env, input }, { exit: 2, code, what, next })
  })

  test('an output format that does not exist is named with those that do', async () => {
    const { exit, stdout, stderr } = await crm(['contacts', 'list', '-o', 'nix'], emptyHome())
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toMatch(/^crm: .*'nix'.*table, json, jsonl, csv, tsv, yaml, id\.\n {2}crm contacts list --help\n$/)
  })

  test('a noun without a verb shows its verbs on stderr', async () => {
    const { exit, stdout, stderr } = await crm(['contacts'], emptyHome())
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toMatch(/^Usage: crm contacts/)
  })

  test('help for a command that does not exist is exit 2', async () => {
    const { exit, stdout } = await crm(['help', 'nix'], emptyHome())
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  })
})

const FILES: readonly (Case & { readonly content?: string | Buffer; readonly file: string })[] = [
  {
    title: 'broken JSON',
    file: 'a.json',
    content: '{"name": ',
    args: [],
    what: /a\.json is not valid JSON/,
    next: /a\.json/,
  },
  {
    title: 'broken YAML',
    file: 'a.yaml',
    content: 'a: [1\nb: 2',
    args: [],
    what: /a\.yaml is not valid YAML: (?!parse is)/,
    next: /a\.yaml/,
  },
  {
    title: 'a list',
    file: 'a.json',
    content: '[{"name":"x"}]',
    args: [],
    what: /does not contain one record/,
    next: /object/,
  },
  {
    title: 'a YAML list',
    file: 'a.yaml',
    content: '- name: x\n',
    args: [],
    what: /does not contain one record/,
    next: /object/,
  },
  { title: 'no file', file: 'none.json', args: [], what: /none\.json.*no such file/, next: /./ },
  {
    title: 'bytes that are not UTF-8',
    file: 'a.json',
    content: Buffer.from([0x7b, 0xff, 0x7d]),
    args: [],
    what: /UTF-8/,
    next: /./,
  },
]

describe('--data that cannot be read is exit 2', () => {
  test.for(FILES)('$title', async ({ file, content, what, next }) => {
    const path = join(tempFolder(), file)
    if (content !== undefined) writeFileSync(path, content)
    const args = ['contacts', 'create', '--data', path]
    await expectRefusal({ args, env: emptyHome() }, { exit: 2, code: 'invalid_input', what, next })
  })
})

test('a missing key file is exit 2', async () => {
  const args = ['contacts', 'list', '--key-file', '/nowhere/key']
  const env = emptyHome({ CRM_BASE_URL: 'http://127.0.0.1:9' })
  await expectRefusal({ args, env }, { exit: 2, code: 'invalid_input', what: /\/nowhere\/key/, next: /./ })
})

test('bad input is refused before the server hears of it', async () => {
  const { url, requests } = await countRequests('http://127.0.0.1:9')
  const env = emptyHome({ CRM_BASE_URL: url, CRM_API_KEY: 'key-1234567890' })
  await Promise.all([
    crm(['contacts', 'list', '--fields', 'a,,b'], env),
    crm(['contacts', 'create', '--set', 'name'], env),
    crm(['contacts', 'create', '--data', '/nowhere'], env),
    crm(['contacts', 'delete', 'a', 'b', '--yes'], env),
    crm(['deals', 'create', '--set', 'a=b', '--dry-run'], env),
  ])
  expect(requests).toEqual([])
})
