import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { readFoundFile } from '../files/found-file.ts'
import { homeFolder } from '../files/home-folder.ts'

/** Formats whose data is the same whatever the command: csv, tsv and id leave out what others have. */
const OUTPUTS = ['table', 'json', 'jsonl'] as const

/** The subset of TOML 1.0 that is read: `key = "text"` or `key = 'text'`, without escapes, and comments. */
const PAIR = /^([A-Za-z0-9_-]+)[ \t]*=[ \t]*(?:"([^"\\]*)"|'([^']*)')[ \t]*(?:#.*)?$/

/** What would let a repository choose where a key goes, what runs, or what is guarded. */
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
 * The nearest `.crm.toml` from `folder` up to the root of its repository, or to the home. One that somebody else may have put there is
 * left out, and told. CrmError `invalid_input` when it says what a repository may not.
 */
export function readRepositoryFile(folder: string, env: Env, note: (line: string) => void): RepositoryFile | undefined {
  const home = homeFolder(env)
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, NAME)
    const found = readFoundFile(path, MAX_BYTES)
    if (found && 'text' in found) return { path, ...parseRepositoryToml(found.text, path) }
    if (found) note(`Note: ${path} is left out: ${found.flaw}`)
    // A work tree beside its repository has a file of that name.
    if (found || at === home || at === dirname(at) || existsSync(join(at, '.git'))) return undefined
  }
}

type RepositoryOutput = (typeof OUTPUTS)[number]

interface RepositoryDefaults {
  readonly profile: string | undefined
  readonly output: RepositoryOutput | undefined
}

/** CrmError `invalid_input` with the line and the reason for everything that a repository may not say. */
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
    const reason = values.has(key) ? `${key} is there twice` : reasonAgainst(line, key, value)
    if (reason !== undefined) throw refused(path, index + 1, reason)
    values.set(key, value)
  }
  const output = values.get('output')
  return { profile: values.get('profile'), output: isOutput(output) ? output : undefined }
}

/** The line itself is not quoted, nor a name that is not known: it may be a key that somebody put there. */
function reasonAgainst(line: string, key: string, value: string): string | undefined {
  const [, name = ''] = /^\[*[ \t]*["']?([A-Za-z0-9_-]+)/.exec(line) ?? []
  if (UNTRUSTED.has(name)) {
    return `${name} is never taken from a repository, which must not choose where keys go, what runs or what is guarded`
  }
  if (key === 'profile') return undefined
  if (key !== 'output') return 'expected profile = "NAME" or output = "FORMAT", and nothing else'
  return isOutput(value) ? undefined : `output is none of ${OUTPUTS.join(', ')}`
}

function isOutput(value: string | undefined): value is RepositoryOutput {
  return OUTPUTS.some((output) => output === value)
}

function refused(path: string, line: number, reason: string): CrmError {
  return new CrmError('invalid_input', `${path}, line ${line}: ${reason}`, {
    hint: 'settings of your own are kept elsewhere: crm config list',
  })
}
