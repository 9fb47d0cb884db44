import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '../core/streams.ts'
import { namesIn, stateFolder } from '../files/folders.ts'
import { errorCode, toMachineError } from '../files/machine-error.ts'

/** Only the newest are offered. */
const MOST_EVENTS = 50

/** Of the log, per Tab: its end has the newest events, and a body may be 1 MiB. */
const MOST_BYTES = 512 * 1024

/** The start of a line of an event (docs/event-log.md): bodies are not parsed. */
const START = /^\{"v":1,"id":("(?:[^"\\]|\\.)*"),"event":(null|"(?:[^"\\]|\\.)*"),"record_id":(null|"(?:[^"\\]|\\.)*"),/

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
