import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, type JsonValue, jsonIn } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { stateFolder } from '../files/folders.ts'
import { errorCode, toMachineError } from '../files/machine-error.ts'
import { readPrivateFile } from '../files/private-file.ts'
import { isGone, type ProcessOwner, thisProcess } from '../files/processes.ts'
import { writePrivateFile } from '../files/replace-file.ts'

/** A listener that runs on this machine, as other commands find it. Its secret is not in the file. */
export interface RunningListener {
  readonly url: string
  /** Whose secret is kept with the settings; undefined with a secret file. */
  readonly subscriptionId: string | undefined
  /** The absolute path of `--secret-file`. */
  readonly secretFile: string | undefined
  /** The URLs to which it forwards. */
  readonly forwards: readonly string[]
}

/** Announces it until `end`; a killed one is recognised by its process. */
export async function announceListener(env: Env, listener: RunningListener): Promise<{ end(): Promise<void> }> {
  const owner = thisProcess()
  const folder = listenersFolder(env)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${owner.pid}-${new URL(listener.url).port}.json`)
  await writePrivateFile(path, `${JSON.stringify({ owner, ...listener })}\n`)
  return { end: () => rm(path, { force: true }) }
}

/** Removes the files of those that have ended. */
export async function runningListeners(env: Env): Promise<readonly RunningListener[]> {
  const folder = listenersFolder(env)
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw toMachineError(error, folder)
  })
  const found: RunningListener[] = []
  for (const name of names.filter((each) => each.endsWith('.json'))) {
    const path = join(folder, name)
    const entry = parse(await readPrivateFile(path))
    if (!entry) continue
    if (isGone(entry.owner)) await rm(path, { force: true })
    else found.push(entry.listener)
  }
  return found
}

function listenersFolder(env: Env): string {
  return join(stateFolder(env), 'listeners')
}

/** Undefined for a file that was removed meanwhile, for one of another version, and for a damaged one. */
function parse(text: string | undefined): { owner: ProcessOwner; listener: RunningListener } | undefined {
  const value = text === undefined ? undefined : jsonIn(text)
  if (!isJsonObject(value) || !isJsonObject(value.owner) || typeof value.url !== 'string') return undefined
  const { pid, startedAtMs, mark } = value.owner
  if (typeof pid !== 'number' || typeof startedAtMs !== 'number' || typeof mark !== 'string') return undefined
  const forwards = Array.isArray(value.forwards) ? value.forwards.filter((url) => typeof url === 'string') : []
  return {
    owner: { pid, startedAtMs, mark },
    listener: {
      url: value.url,
      subscriptionId: textIn(value.subscriptionId),
      secretFile: textIn(value.secretFile),
      forwards,
    },
  }
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
