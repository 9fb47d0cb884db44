import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { homeFolder } from '../files/folders.ts'
import { readFoundFile } from '../files/private-file.ts'
import { isShippedName } from './setting-values.ts'

/** Only formats with the full data of every command; csv, tsv and id leave parts out. */
const OUTPUTS = ['table', 'json', 'jsonl'] as const

/** The supported subset of TOML 1.0: `key = "text"` or `key = 'text'`, without escapes, and comments. */
const PAIR = /^([A-Za-z0-9_-]+)[ \t]*=[ \t]*(?:"([^"\\]*)"|'([^']*)')[ \t]*(?:#.*)?$/

/** Settings that decide where a key is sent, what runs, or what is protected. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  ...['address', 'api_key', 'base_url', 'command', 'exec', 'host', 'insecure_http', 'key', 'key_command', 'key_file'],
  ...['origin', 'password', 'protected', 'proxy', 'secret', 'token', 'url', 'wire'],
])

const NAME = '.crm.toml'
const MAX_BYTES = 65_536

export interface RepositoryFile extends RepositoryDefaults {
  readonly path: string
}

/**
 * The nearest `.crm.toml` from `folder` up to the root of its repository, or to the home. A file that another user may have
 * written is skipped with a note. CrmError `invalid_input` for a setting that a repository may not set.
 */
export function readRepositoryFile(folder: string, env: Env, note: (line: string) => void): RepositoryFile | undefined {
  const home = homeFolder(env)
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, NAME)
    const found = readFoundFile(path, MAX_BYTES)
    if (found && 'text' in found) return { path, ...parseRepositoryToml(found.text, path) }
    if (found) note(`Note: ${path} is ignored: ${found.flaw}`)
    // In a linked worktree .git is a file.
    if (found || at === home || at === dirname(at) || existsSync(join(at, '.git'))) return undefined
  }
}

type RepositoryOutput = (typeof OUTPUTS)[number]

interface RepositoryDefaults {
  readonly profile: string | undefined
  readonly output: RepositoryOutput | undefined
  /** As written. */
  readonly connector: string | undefined
}

/** CrmError `invalid_input` with line and reason for anything that a repository may not set. */
export function parseRepositoryToml(text: string, path: string): RepositoryDefaults {
  const values = new Map<string, string>()
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const [, key = '', double, single] = PAIR.exec(line) ?? []
    const value = double ?? single ?? ''
    const reason = values.has(key) ? `${key} is set twice` : reasonAgainst(line, key, value)
    if (reason !== undefined) throw refused(path, index + 1, reason)
    values.set(key, value)
  }
  const output = values.get('output')
  const [profile, connector] = [values.get('profile'), values.get('connector')]
  return { profile, connector, output: isOutput(output) ? output : undefined }
}

/** Neither the line nor an unknown name is quoted: it may be a key. */
function reasonAgainst(line: string, key: string, value: string): string | undefined {
  const [, name = ''] = /^\[*[ \t]*["']?([A-Za-z0-9_-]+)/.exec(line) ?? []
  if (UNTRUSTED.has(name)) {
    return `${name} is not allowed in a repository, which must not decide where keys are sent, what runs or what is protected`
  }
  if (key === 'profile') return undefined
  if (key === 'connector') return reasonAgainstConnector(value)
  if (key !== 'output') return 'expected only profile = "NAME", connector = "NAME" and output = "FORMAT"'
  return isOutput(value) ? undefined : `output must be one of ${OUTPUTS.join(', ')}`
}

/** The reason why a `.crm.toml` may not name this connector. */
function reasonAgainstConnector(word: string): string | undefined {
  const isBelow = !/^[/~]|\\|^[A-Za-z]:/.test(word) && !word.split('/').includes('..')
  if (isShippedName(word) || (isBelow && /[./]/.test(word))) return undefined
  return 'connector must be a shipped one, or a file in this folder or below it, such as ./mycrm.yaml'
}

function isOutput(value: string | undefined): value is RepositoryOutput {
  return OUTPUTS.some((output) => output === value)
}

function refused(path: string, line: number, reason: string): CrmError {
  return new CrmError('invalid_input', `${path}, line ${line}: ${reason}`, {
    hint: 'other settings belong in your own profile: crm config list',
  })
}
