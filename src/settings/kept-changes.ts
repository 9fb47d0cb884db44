import { createHash, randomBytes } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../core/json.ts'
import type { ListedResource, PluralOf } from '../core/resources/registry.ts'
import type { Env } from '../core/streams.ts'
import { namesIn, stateFolder } from '../files/folders.ts'
import { errorCode, toMachineError } from '../files/machine-error.ts'
import { ensurePrivateFolderNow, readPrivateFile } from '../files/private-file.ts'
import { isGone, type ProcessOwner, thisProcess } from '../files/processes.ts'
import { writePrivateFileNow } from '../files/replace-file.ts'
import { damaged } from './document.ts'

/** The plural of an object whose records the screens list. */
export type RecordList = Exclude<PluralOf<ListedResource>, 'pipelines' | 'webhooks'>

/** A change that an earlier version of crm kept, because it was not sent before the screens closed. */
export interface KeptChange {
  readonly list: RecordList
  readonly id: string
  /** A merge patch; null for a deletion. */
  readonly patch: JsonObject | null
  /** The record as it was when the change was made. */
  readonly before: JsonObject
}

/** The unsent text of a form. */
export interface KeptForm {
  readonly list: KeptChange['list']
  /** The record as it was when the form was opened; null for a new one. */
  readonly before: JsonObject | null
  /** By field name; without unchanged fields. */
  readonly texts: Readonly<Record<string, string>>
  /** The last error of the server; null when there was none. */
  readonly problem: string | null
}

export interface TakenChanges {
  readonly changes: readonly KeptChange[]
  readonly forms: readonly KeptForm[]
  /** Running processes that hold further changes. */
  readonly heldBy: readonly number[]
}

/**
 * Changes that are kept until the next start, for one server. Each process has its own file, so that two that end at the same
 * time lose nothing. The name of the file names the process, until the process releases it or ends.
 */
export interface KeptChanges {
  /**
   * Takes all kept changes that no running process holds. No two processes get the same change. CrmError `invalid_input` for a
   * damaged file, `machine` for one that other users can read.
   */
  take(): Promise<TakenChanges>
  /** Replaces all that this process holds or took; others get it when this process has ended. CrmError `machine`. */
  hold(changes: readonly KeptChange[], forms?: readonly KeptForm[]): void
  /** The same, and lets other processes take it at once. */
  release(changes: readonly KeptChange[], forms?: readonly KeptForm[]): void
  /** Writes changes to a new file of JSON lines, and gives its path. CrmError `machine`. */
  export(changes: readonly KeptChange[]): string
}

/** `server` is the address that the changes belong to. */
export function openKeptChanges(env: Env, server: string): KeptChanges {
  const folder = join(stateFolder(env), 'browse')
  const prefix = `${createHash('sha256').update(server).digest('hex').slice(0, 16)}-`
  const own = join(folder, `${prefix}${randomBytes(6).toString('hex')}`)
  const owner = ownerText(thisProcess())
  let ours: readonly string[] = []

  /** Synchronous: the file is on disk on return. */
  function put(path: string, changes: readonly KeptChange[], forms: readonly KeptForm[] = []): void {
    const isNone = changes.length + forms.length === 0
    if (!isNone) {
      ensurePrivateFolderNow(folder)
      writePrivateFileNow(path, `${JSON.stringify({ server, changes, forms }, null, 2)}\n`)
    }
    const kept = isNone ? [] : [path]
    for (const each of ours) if (!kept.includes(each)) remove(each)
    ours = kept
  }

  return {
    take: async () => {
      const names = namesIn(folder).filter((name) => name.startsWith(prefix))
      const owners = names.map((name) => ({ name, holder: ownerOf(name) }))
      const free = owners.filter(({ holder }) => !holder || isGone(holder)).map(({ name }) => name)
      // Read before any is claimed: after a damaged file, none has moved.
      const read = await Promise.all(
        free.map(async (name) => [name, await readChanges(join(folder, name), server)] as const),
      )
      const taken = read.flatMap(([name, kept]) => {
        const path = join(folder, `${stemOf(name)}.${owner}.json`)
        return claim(join(folder, name), path) ? [{ path, ...kept }] : []
      })
      ours = [...ours, ...taken.map(({ path }) => path)]
      const held = owners.filter(({ name }) => !free.includes(name))
      return {
        changes: taken.flatMap(({ changes }) => changes),
        forms: taken.flatMap(({ forms }) => forms),
        heldBy: [...new Set(held.flatMap(({ holder }) => holder?.pid ?? []))],
      }
    },
    hold: (changes, forms) => put(`${own}.${owner}.json`, changes, forms),
    release: (changes, forms) => put(`${own}.json`, changes, forms),
    export: (changes) => {
      const path = join(stateFolder(env), `kept-changes-${randomBytes(4).toString('hex')}.jsonl`)
      writePrivateFileNow(path, changes.map((change) => `${JSON.stringify(change)}\n`).join(''))
      return path
    },
  }
}

/** Only one of several processes can rename a file. False for the others. */
function claim(path: string, claimed: string): boolean {
  try {
    renameSync(path, claimed)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw toMachineError(error, path)
  }
}

/** For a file name; the mark of a process contains a slash. */
function ownerText({ pid, startedAtMs, mark }: ProcessOwner): string {
  return `${pid}.${startedAtMs}.${mark.replaceAll('/', '_')}`
}

/** Undefined for a file that was released. */
function ownerOf(name: string): ProcessOwner | undefined {
  const [, pid, startedAtMs, mark = ''] = /^[^.]+\.(\d+)\.(\d+)\.([^.]*)\.json$/.exec(name) ?? []
  if (pid === undefined) return undefined
  return { pid: Number(pid), startedAtMs: Number(startedAtMs), mark: mark.replaceAll('_', '/') }
}

function stemOf(name: string): string {
  return name.split('.', 1)[0] ?? name
}

type KeptInFile = Pick<TakenChanges, 'changes' | 'forms'>

async function readChanges(path: string, server: string): Promise<KeptInFile> {
  const text = await readPrivateFile(path)
  return text === undefined ? { changes: [], forms: [] } : parseChanges(text, server, path)
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw toMachineError(error, path)
  }
}

function parseChanges(text: string, server: string, path: string): KeptInFile {
  let value: JsonValue
  try {
    value = parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(path, 'it is not JSON')
    throw error
  }
  if (!isJsonObject(value) || !Array.isArray(value.changes)) throw damaged(path, 'it has no list of changes')
  if (value.server !== server) throw damaged(path, `it belongs to ${JSON.stringify(value.server)}, not to ${server}`)
  const forms = Array.isArray(value.forms) ? value.forms : []
  return {
    changes: value.changes.map((change) => parseChange(change, path)),
    forms: forms.map((form) => parseForm(form, path)),
  }
}

function parseChange(value: JsonValue, path: string): KeptChange {
  if (isJsonObject(value)) {
    const { list, id, patch = null, before } = value
    const isPatch = patch === null || isJsonObject(patch)
    if (isRecordList(list) && typeof id === 'string' && isPatch && isJsonObject(before)) {
      return { list, id, patch, before }
    }
  }
  throw damaged(path, 'one of its changes is malformed')
}

function parseForm(value: JsonValue, path: string): KeptForm {
  if (isJsonObject(value) && isJsonObject(value.texts)) {
    const { list, before = null, texts, problem = null } = value
    const isText = Object.values(texts).every((text) => typeof text === 'string')
    const isRecord = before === null || isJsonObject(before)
    if (isRecordList(list) && isRecord && isText) {
      return { list, before, texts: texts as KeptForm['texts'], problem: typeof problem === 'string' ? problem : null }
    }
  }
  throw damaged(path, 'one of its forms is malformed')
}

/** Objects of a server may not be known yet. */
function isRecordList(list: JsonValue | undefined): list is RecordList {
  return typeof list === 'string' && OBJECT_NAME.test(list)
}

const OBJECT_NAME = /^[a-z][a-z0-9_]{0,39}$/
