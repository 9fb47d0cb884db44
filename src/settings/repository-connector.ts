import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { settingsFolder } from '../files/folders.ts'
import { errorCode } from '../files/machine-error.ts'
import { readOwnFile } from '../files/private-file.ts'
import { openDocument } from './document.ts'
import { isShippedName } from './setting-values.ts'

/** What a `.crm.toml` names, unchanged. */
export interface RepositoryConnector {
  /** Of the `.crm.toml`. */
  readonly path: string
  readonly word: string
}

const MOST_BYTES = 1024 * 1024

/**
 * A shipped name, or the absolute path of the file. CrmError `invalid_input` for a name that is not among `names`, for a file outside of
 * the folder, and for none.
 */
export function nameOfConnector({ path, word }: RepositoryConnector, names?: readonly string[]): string {
  const refuse = (why: string, cause?: unknown) =>
    new CrmError('invalid_input', `${path} names the connector ${word}: ${why}`, {
      hint: 'correct it, or choose a connector yourself: CRM_CONNECTOR=NAME',
      cause,
    })
  if (isShippedName(word)) {
    if (names === undefined || names.includes(word)) return word
    throw refuse(`no such connector is shipped, expected one of ${names.join(', ')}, or a file`)
  }
  try {
    const folder = realpathSync(dirname(path))
    const file = realpathSync(join(folder, word))
    const isFolderOfRoot = folder.endsWith(sep)
    if (!file.startsWith(isFolderOfRoot ? folder : folder + sep)) throw refuse('it leads out of that folder')
    const stats = statSync(file)
    if (!stats.isFile() || stats.size > MOST_BYTES) throw refuse('it is no file of at most 1 MiB')
    return file
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error
    throw refuse('there is no such file', error)
  }
}

export interface AskedConnector extends RepositoryConnector {
  readonly name: string
  /** The server that is spoken to in this way. */
  readonly server: string
}

/** Undefined: without a terminal. */
export type AskToAccept = (question: string) => Promise<boolean | undefined>

/**
 * A person accepts a connector of a repository once: again when its file, the server or the name changes. CrmError `unconfirmed` if it is
 * not accepted.
 */
export async function acceptConnector(asked: AskedConnector, env: Env, ask: AskToAccept): Promise<void> {
  const { path, word, server } = asked
  const file = openDocument(join(settingsFolder(env), 'repository-connectors.json'), readOwnFile)
  const digest = digestOf(asked)
  if ((await file.read())[path] === digest) return
  const answer = await ask(
    `${path} names the connector ${word}, which decides what crm sends to ${server}. Use it? [y/N] `,
  )
  if (answer === true) {
    await file.update((accepted) => ({ ...accepted, [path]: digest }))
    return
  }
  throw new CrmError('unconfirmed', `${path} names the connector ${word}, which was not accepted; nothing was sent`, {
    hint: 'accept it once at a terminal, or choose a connector yourself: CRM_CONNECTOR=NAME',
  })
}

function digestOf({ word, name, server }: AskedConnector): string {
  const hash = createHash('sha256').update(JSON.stringify([word, name, server]))
  if (!isShippedName(name)) hash.update(readFileSync(name))
  return hash.digest('hex')
}
