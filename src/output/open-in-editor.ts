import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { shellWord } from '../core/shell-words.ts'
import { type Env, envWithoutSecrets } from '../core/streams.ts'

interface Edited {
  readonly text: string
  readonly path: string
  /** Removes the file. */
  forget(): Promise<void>
}

interface ToEdit {
  readonly text: string
  /** Of the file; editors choose the syntax by its end. */
  readonly name: string
}

/**
 * Opens a text in the editor of VISUAL or EDITOR, in a private file that is kept until `forget`. CrmError `machine` when the
 * editor cannot be started or fails.
 */
export async function openInEditor({ text, name }: ToEdit, env: Env): Promise<Edited> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-edit-'))
  // A umask can remove permissions of the owner.
  await chmod(folder, 0o700)
  const path = join(folder, name)
  await writeFile(path, text, { mode: 0o600 })
  const isWindows = platform() === 'win32'
  const editor = env.VISUAL || env.EDITOR || (isWindows ? 'notepad' : 'vi')
  const forget = () => rm(folder, { recursive: true, force: true })
  // As git does: the variable may contain flags. The editor and its plugins do not get the key.
  const options = { env: envWithoutSecrets(env), stdio: 'inherit' } as const
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { ...options, shell: true })
    : spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], options)
  const [code, signal] = await once(child, 'close')
  if (code !== 0) {
    await forget()
    throw new CrmError('machine', `the editor ${editor} ended with ${code ?? signal}; nothing was changed`, {
      hint: `try it: ${editor} ${shellWord(name)}, or set EDITOR`,
    })
  }
  return { text: await readFile(path, 'utf8'), path, forget }
}
