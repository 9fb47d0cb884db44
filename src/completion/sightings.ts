import { existsSync } from 'node:fs'
import type { CrmRecord, Resource } from '../core/resources/registry.ts'
import type { Env } from '../core/streams.ts'
import { writePrivateFile } from '../files/write-private-file.ts'
import { type Known, MOST_IDS, withoutKnownId, withSeen } from './known.ts'
import { type KnownPlace, knownFolder, knownPath, readKnown, unlessInTheWay } from './known-file.ts'

/** What one command showed, in that order, or deleted. */
export type Sighting =
  | { readonly resource: Resource; readonly records: readonly CrmRecord[] }
  | { readonly resource: Resource; readonly goneId: string }

/** Writes only what has changed. */
export async function keepSightings(env: Env, place: KnownPlace, sightings: readonly Sighting[]): Promise<void> {
  if (!existsSync(knownFolder(env))) return
  const before = await readKnown(env, place)
  const known = withGone(withShown(before, sightings), sightings)
  if (JSON.stringify(known) === JSON.stringify(before)) return
  const text = `${JSON.stringify({ base_url: place.baseUrl, ...known })}\n`
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
