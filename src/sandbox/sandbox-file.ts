import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, jsonIn } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { stateFolder } from '../files/folders.ts'
import { isMissing, toMachineError } from '../files/machine-error.ts'
import { ensurePrivateFolder, readPrivateFile } from '../files/private-file.ts'
import { isGone, type ProcessOwner } from '../files/processes.ts'
import { writePrivateFile } from '../files/replace-file.ts'
import { removeFolderOf } from './sandbox-folder.ts'

/** A sandbox that outlives the command that started it. */
export interface StartedSandbox {
  readonly name: string
  readonly baseUrl: string
  /** For the processes that use it, the key among them. */
  readonly env: Readonly<Record<string, string>>
  readonly endsAtMs: number
  /** The process that it runs in. */
  readonly process: ProcessOwner
}

/** Where started sandboxes are listed, for commands in the environment of one, which has a state folder of its own. */
export const SANDBOX_HOME = 'CRM_SANDBOX_HOME'

export function sandboxHome(env: Env): string {
  return env[SANDBOX_HOME] || join(stateFolder(env), 'sandboxes')
}

/** The same for the sandboxes that the command of a sandbox starts: they end with it. */
export function homeWithin(folder: string): string {
  return join(folder, 'sandboxes')
}

export function sandboxFile(env: Env, name: string): string {
  return join(sandboxHome(env), `${name}.json`)
}

export async function writeSandboxFile(file: string, sandbox: StartedSandbox): Promise<void> {
  await ensurePrivateFolder(join(file, '..'))
  await writePrivateFile(file, `${JSON.stringify(sandbox, undefined, 1)}\n`)
}

/** Undefined when there is no such sandbox. CrmError `invalid_input` for a file that names none. */
export async function readSandboxFile(file: string): Promise<StartedSandbox | undefined> {
  const text = await readPrivateFile(file)
  if (text === undefined) return undefined
  const value = jsonIn(text)
  if (
    isJsonObject(value) &&
    isJsonObject(value.env) &&
    isJsonObject(value.process) &&
    typeof value.baseUrl === 'string'
  ) {
    return value as unknown as StartedSandbox
  }
  throw new CrmError('invalid_input', `${file} is not the file of a sandbox`, { hint: `remove it: rm ${file}` })
}

/** Those in a home whose process runs; the files of others are removed. */
export async function runningSandboxes(home: string): Promise<readonly StartedSandbox[]> {
  const names = await readdir(home).catch((error: unknown) => {
    if (isMissing(error, home)) return []
    throw toMachineError(error, home)
  })
  const running: StartedSandbox[] = []
  for (const file of names.filter((name) => name.endsWith('.json')).map((name) => join(home, name))) {
    const sandbox = await readSandboxFile(file)
    if (sandbox && isAlive(sandbox)) running.push(sandbox)
    else if (sandbox) await removeDead(file, sandbox)
  }
  return running
}

/** A process that was killed leaves its file. */
export function isAlive({ process }: StartedSandbox): boolean {
  return !isGone(process)
}

/** Removes what a sandbox left whose process was killed: its file, and its folder. */
export async function removeDead(file: string, sandbox: StartedSandbox): Promise<void> {
  removeFolderOf(sandbox.process, sandbox.env.CRM_STATE_HOME)
  await removeSandboxFile(file, sandbox)
}

/** Removes the file unless another sandbox has taken its place. */
export async function removeSandboxFile(file: string, { process }: Pick<StartedSandbox, 'process'>): Promise<void> {
  const there = await readSandboxFile(file)
  if (there?.process.pid === process.pid && there.process.mark === process.mark) await rm(file, { force: true })
}
