import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, isSameJson, type JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { type Env, withoutKey } from '../../core/streams.ts'

export interface EditedRecord {
  /** A merge patch: the changed members, and null for removed ones. */
  readonly patch: JsonObject
  /** The path of the text, until it is removed. */
  readonly path: string
  forget(): Promise<void>
}

/** Opens the members of the record that can be changed as YAML in the editor. CrmError `invalid_input`, with the path of the text, for a text that is not a record. */
export async function editRecord(
  record: CrmRecord,
  env: Env,
  isShown: (name: string) => boolean,
): Promise<EditedRecord> {
  const { parseYamlText, yamlText } = await import('./yaml-text.ts')
  const before = Object.fromEntries(Object.entries(record).filter(([name]) => isShown(name)))
  const { text, path, forget } = await openInEditor(yamlText(before), env)
  const after = parseOr(parseYamlText, text, path)
  const patch: JsonObject = {}
  for (const [name, value] of Object.entries(after)) {
    if (!isSameJson(value, before[name])) patch[name] = value
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null
  return { patch, path, forget }
}

function parseOr(parse: (text: string) => unknown, text: string, path: string): JsonObject {
  let value: unknown
  let reason = 'it is not an object'
  try {
    value = parse(text)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    reason = error.message.split('\n')[0] ?? reason
  }
  if (isJsonObject(value)) return value
  throw new CrmError('invalid_input', `cannot read the edited text: ${reason}; nothing was sent`, {
    hint: `the text stays in ${shellWord(path)}`,
  })
}

interface Edited {
  readonly text: string
  readonly path: string
  /** Removes the file. */
  forget(): Promise<void>
}

/**
 * Opens a text in the editor of VISUAL or EDITOR, in a private file that is kept until `forget`. CrmError `machine` when the
 * editor cannot be started or fails.
 */
export async function openInEditor(text: string, env: Env): Promise<Edited> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-edit-'))
  // A umask can remove permissions of the owner.
  await chmod(folder, 0o700)
  const path = join(folder, 'record.yaml')
  await writeFile(path, text, { mode: 0o600 })
  const editor = env.VISUAL || env.EDITOR || 'vi'
  const forget = () => rm(folder, { recursive: true, force: true })
  // As git does: the variable may contain flags. The editor and its plugins do not get the key.
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { env: withoutKey(env), stdio: 'inherit' })
  const [code, signal] = await once(child, 'close')
  if (code !== 0) {
    await forget()
    throw new CrmError('machine', `the editor ${editor} ended with ${code ?? signal}; nothing was changed`, {
      hint: `try it: ${editor} ${shellWord('file.yaml')}, or set EDITOR`,
    })
  }
  return { text: await readFile(path, 'utf8'), path, forget }
}
