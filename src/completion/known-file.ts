import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import type { CrmRecord, Resource } from '../core/resources/registry.ts'
import type { Env } from '../core/streams.ts'
import { settingsFolder, stateFolder } from '../files/folders.ts'
import { toMachineError } from '../files/machine-error.ts'
import { ensurePrivateFolder, readPrivateFile } from '../files/private-file.ts'
import { parseJsonObject } from '../settings/document.ts'
import { type Known, knownIn, MOST_IDS, NOTHING_KNOWN, withoutKnownId, withSeen } from './known.ts'

/** A profile and its current address: what was kept for another address is not offered. */
export interface KnownPlace {
  readonly profileName: string
  readonly baseUrl: string
}

/** Created at the first Tab of a user who has profiles; without it, nothing is kept. */
function knownFolder(env: Env): string {
  return join(stateFolder(env), 'completion')
}

export async function beginKnowing(env: Env): Promise<void> {
  if (existsSync(knownFolder(env)) || !existsSync(join(settingsFolder(env), 'config.json'))) return
  await unlessInTheWay(async () => {
    await ensurePrivateFolder(stateFolder(env))
    await ensurePrivateFolder(knownFolder(env))
  })
}

export async function readKnownFile(env: Env, place: KnownPlace): Promise<Known> {
  const path = knownPath(env, place.profileName)
  const document = await unlessInTheWay(async () => parseJsonObject(await readPrivateFile(path), path))
  return document?.base_url === place.baseUrl ? knownIn(document) : NOTHING_KNOWN
}

/** CrmError `machine` when it cannot be removed: `logout` must report what is left. */
export async function forgetKnown(env: Env, profileName: string): Promise<void> {
  const path = knownPath(env, profileName)
  if (!existsSync(path)) return
  try {
    await rm(path, { force: true })
  } catch (error) {
    throw toMachineError(error, path)
  }
}

/** What one command showed, in that order, or deleted. */
export type Sighting =
  | { readonly resource: Resource; readonly records: readonly CrmRecord[] }
  | { readonly resource: Resource; readonly goneId: string }

/** Writes only what has changed. */
export async function keepSightings(env: Env, place: KnownPlace, sightings: readonly Sighting[]): Promise<void> {
  if (!existsSync(knownFolder(env))) return
  const before = await readKnownFile(env, place)
  const known = withGone(withShown(before, sightings), sightings)
  if (JSON.stringify(known) === JSON.stringify(before)) return
  const text = `${JSON.stringify({ base_url: place.baseUrl, ...known })}\n`
  // It loads node:crypto, which neither a Tab nor an unchanged list needs.
  const { writePrivateFile } = await import('../files/replace-file.ts')
  await unlessInTheWay(() => writePrivateFile(knownPath(env, place.profileName), text))
}

/** Joins the pages of one list: the first page has the newest records. */
function withShown(known: Known, sightings: readonly Sighting[]): Known {
  const shown = new Map<Resource, CrmRecord[]>()
  for (const sighting of sightings) {
    if ('goneId' in sighting) continue
    const records = shown.get(sighting.resource) ?? []
    shown.set(sighting.resource, records)
    records.push(...sighting.records.slice(0, MOST_IDS - records.length))
  }
  return [...shown].reduce((before, [resource, records]) => withSeen(before, resource, records), known)
}

function withGone(known: Known, sightings: readonly Sighting[]): Known {
  const gone = sightings.filter((each) => 'goneId' in each)
  return gone.reduce((before, { resource, goneId }) => withoutKnownId(before, resource, goneId), known)
}

function knownPath(env: Env, profileName: string): string {
  // A name that was edited into the settings by hand can contain a slash.
  return join(knownFolder(env), `${encodeURIComponent(profileName)}.json`)
}

async function unlessInTheWay<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    // A command does not fail because of data that is used only for completion.
    if (!(error instanceof CrmError)) throw error
    return undefined
  }
}
