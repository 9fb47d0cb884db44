import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { EXIT, type ExitCode } from '../core/exit.ts'
import { idPrefix } from '../core/ids.ts'
import { defineOwnObjects } from '../core/resources/own-objects.ts'
import { type Env, type OutputStream, writeText } from '../core/streams.ts'
import { namesIn, stateFolder } from '../files/folders.ts'
import { errorCode, toMachineError } from '../files/machine-error.ts'
import { reportError } from '../output/report.ts'
import { chooseAddress, chooseProfile } from '../settings/address.ts'
import { hasKeptObjects } from '../settings/objects-file.ts'
import { openSettings } from '../settings/settings.ts'
import { answerTo, type Sources } from './candidates.ts'
import { NOTHING_KNOWN } from './known.ts'
import { beginKnowing, readKnownFile } from './known-file.ts'
import { answerText, SHELLS, typedWords } from './shells.ts'
import { wantedAt } from './wanted.ts'
import type { Vocabulary } from './words.ts'

/** Only the newest are offered. */
const MOST_EVENTS = 50

/** Of the log, per Tab: its end has the newest events, and a body may be 1 MiB. */
const MOST_BYTES = 512 * 1024

/** The start of a line of an event (docs/event-log.md): bodies are not parsed. */
const START = /^\{"v":1,"id":("(?:[^"\\]|\\.)*"),"event":(null|"(?:[^"\\]|\\.)*"),"record_id":(null|"(?:[^"\\]|\\.)*"),/

/** Inserted by the build as JSON, which is parsed only at a Tab. */
declare const CRM_VOCABULARY: string

/** Only the newest are offered. */
const MOST_JOBS = 50

interface Host {
  readonly env: Env
  readonly stdout: OutputStream
  /** Called for an error alone: a stream takes time to open. */
  readonly openStderr: () => OutputStream
}

/**
 * `crm __complete SHELL WORDS...`, which the scripts of `crm completion` call at every Tab. Uses only the state of this
 * machine, without the command tree, the client or a request.
 */
export async function complete(argv: readonly string[], { env, stdout, openStderr }: Host): Promise<ExitCode> {
  const [name, ...given] = argv
  const shell = SHELLS.find((each) => each === name)
  try {
    if (!shell) {
      throw new CrmError('usage', `there is no completion for ${JSON.stringify(name ?? '')}`, {
        hint: `crm completion ${SHELLS.join('|')}`,
      })
    }
    await beginKnowing(env)
    const vocabulary = await withOwnNouns(JSON.parse(CRM_VOCABULARY), env)
    const wanted = wantedAt(vocabulary, typedWords(shell, given))
    await writeText(stdout, answerText(shell, await answerTo(wanted, sourcesOf(env)), given))
    return EXIT.ok
  } catch (error) {
    // For a person who types the command; the scripts discard it.
    return reportError(openStderr(), error, argv)
  }
}

/** With the nouns of the objects that only this server has, which have the commands of tasks. */
async function withOwnNouns(vocabulary: Vocabulary, env: Env): Promise<Vocabulary> {
  if (!hasKeptObjects(env)) return vocabulary
  const { readKeptObjects } = await import('../settings/kept-objects.ts')
  const kept = (await readKeptObjects(openSettings(env), { env, profileFlag: undefined })) ?? {}
  defineOwnObjects(kept, 'server')
  const { root } = vocabulary
  const model = JSON.stringify(root.commands.tasks)
  const own = Object.entries(kept).map(([plural, { one }]) => {
    const text = model.replaceAll(/\btask(s?)\b/g, (_, many) => (many ? plural : one))
    return [plural, JSON.parse(text)] as const
  })
  return { ...vocabulary, root: { ...root, commands: { ...Object.fromEntries(own), ...root.commands } } }
}

function sourcesOf(env: Env): Sources {
  const settings = openSettings(env)
  return {
    profiles: async () => [...(await settings.profiles())].map(([name, { baseUrl }]) => [name, baseUrl ?? '']),
    known: async (profileFlag) => {
      const chosen = await chooseProfile(settings, { env, profileFlag })
      if (!chosen) return NOTHING_KNOWN
      return readKnownFile(env, { profileName: chosen.name, baseUrl: chooseAddress(settings, env, chosen).href })
    },
    jobs: () => {
      const names = namesIn(join(stateFolder(env), 'jobs')).filter((each) => each.startsWith(idPrefix('job')))
      return names.toSorted().toReversed().slice(0, MOST_JOBS)
    },
    events: () => eventIds(env),
  }
}

/** The ids of the newest events of the log, each with its name and its record; newest first. */
export function eventIds(env: Env): readonly (readonly [id: string, about: string])[] {
  const folder = join(stateFolder(env), 'events')
  const found = new Map<string, string>()
  let leftBytes = MOST_BYTES
  const files = namesIn(folder).filter((name) => name.endsWith('.jsonl'))
  for (const name of files.toSorted().toReversed()) {
    if (leftBytes <= 0 || found.size >= MOST_EVENTS) break
    const text = endOf(join(folder, name), leftBytes)
    leftBytes -= text.length
    for (const line of text.split('\n').toReversed()) {
      const [id, event, record] = START.exec(line)?.slice(1).map(readText) ?? []
      if (id && !found.has(id)) found.set(id, [event, record].filter((part) => part).join(' '))
    }
  }
  return [...found].slice(0, MOST_EVENTS)
}

function readText(json: string): string {
  return (JSON.parse(json) as string | null) ?? ''
}

/** Empty for a file that --keep deleted meanwhile. */
function endOf(path: string, mostBytes: number): string {
  try {
    const { size } = statSync(path)
    const bytes = Buffer.allocUnsafe(Math.min(size, mostBytes))
    const file = openSync(path, 'r')
    try {
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw toMachineError(error, path)
  }
}
