import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseRepositoryToml, readRepositoryFile } from '../../src/settings/repository-file.ts'
import { tempFolder } from '../files/temp-folder.ts'

const parse = (text: string) => parseRepositoryToml(text, '.crm.toml')

test('profile and output are read, with comments, both kinds of quotes and a byte order mark', () => {
  const text = `\uFEFF# ours\r\n\r\nprofile = "staging" # not prod\r\n  output='jsonl'\r\n`
  expect(parse(text)).toEqual({ profile: 'staging', output: 'jsonl' })
  expect(parse('')).toEqual({ profile: undefined, output: undefined })
})

test.each([
  ['base_url = "https://evil.example"', /line 1: base_url is not allowed in a repository/],
  ['\napi_key = "crm_key_1234567890"', /line 2: api_key is not allowed/],
  ['key_command = "curl evil.example"', /key_command is not allowed/],
  ['insecure_http = true', /insecure_http is not allowed/],
  ['[wire]\npage_size = 1', /line 1: wire is not allowed/],
  ['protected = false', /protected is not allowed/],
  ['limit = 5', /line 1: expected only profile = /],
  ['limit = "5"', /line 1: expected only profile = /],
  ['profile = "a"\nprofile = "b"', /line 2: profile is set twice/],
  ['profile = "a\\u0041"', /line 1: expected only profile = /],
  ['output = "csv"', /output must be one of table, json, jsonl/],
  ['__proto__ = "x"', /expected only profile = /],
])('%j is rejected with its line and the reason', (text, message) => {
  expect(() => parse(text)).toThrow(message)
  expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'invalid_input', exit: 2 }))
})

test('the contents of a line are not quoted: they may be a key', () => {
  for (const line of ['s3cret-value', 'api_key: s3cret-value', 's3cret-value = "x"', 'output = "s3cret-value"']) {
    expect(() => parse(line)).toThrow(/^(?!.*s3cret).*line 1/)
  }
})

async function tree() {
  const home = await tempFolder()
  const repository = join(home, 'work/repo')
  const inner = join(repository, 'a/b')
  mkdirSync(inner, { recursive: true })
  const notes: string[] = []
  const read = (folder: string) => readRepositoryFile(folder, { HOME: home }, (line) => notes.push(line))
  return { home, repository, inner, notes, read }
}

test('the nearest file is used, up to the root of the repository', async () => {
  const { home, repository, inner, read } = await tree()
  writeFileSync(join(home, '.crm.toml'), 'profile = "home"')
  expect(read(inner)).toMatchObject({ profile: 'home', path: join(home, '.crm.toml') })
  mkdirSync(join(repository, '.git'))
  expect(read(inner)).toBeUndefined()
  writeFileSync(join(repository, '.crm.toml'), 'profile = "repo"')
  expect(read(inner)).toMatchObject({ profile: 'repo' })
  writeFileSync(join(inner, '.crm.toml'), 'profile = "inner"')
  expect(read(inner)).toMatchObject({ profile: 'inner' })
})

test('no file above the home is read', async () => {
  const { home, repository, inner } = await tree()
  writeFileSync(join(home, '.crm.toml'), 'profile = "above"')
  expect(readRepositoryFile(inner, { HOME: repository }, () => {})).toBeUndefined()
})

test.skipIf(process.platform === 'win32')(
  'a file that another user may have written is ignored with a note',
  async () => {
    const { repository, inner, notes, read } = await tree()
    const path = join(repository, '.crm.toml')
    writeFileSync(join(repository, 'real'), 'profile = "linked"')
    symlinkSync('real', path)
    expect(read(inner)).toBeUndefined()
    writeFileSync(join(inner, '.crm.toml'), 'profile = "open"')
    chmodSync(join(inner, '.crm.toml'), 0o666)
    expect(read(inner)).toBeUndefined()
    mkdirSync(join(repository, 'c/.crm.toml'), { recursive: true })
    expect(read(join(repository, 'c'))).toBeUndefined()
    expect(notes.map((note) => note.replace(/^Note: .*\.crm\.toml is ignored: /, ''))).toEqual([
      'it is a symbolic link',
      'everyone can write to it',
      'it is not a regular file',
    ])
  },
)

test.skipIf(process.getuid?.() !== 0)('a file of another user is ignored (skipped unless run by root)', async () => {
  const { inner, notes, read } = await tree()
  const path = join(inner, '.crm.toml')
  writeFileSync(path, 'profile = "theirs"')
  chownSync(path, 12_345, 12_345)
  expect(read(inner)).toBeUndefined()
  expect(notes).toEqual([`Note: ${path} is ignored: it belongs to user 12345`])
})
