import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Env } from '../core/streams.ts'
import { readFoundFile } from '../files/found-file.ts'
import { homeFolder } from '../files/home-folder.ts'
import { parseRepositoryToml, type RepositoryDefaults } from './repository-toml.ts'

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
