import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { readOwnFile } from '../files/private-file.ts'
import { damaged, objectIn, replaceIn } from './document.ts'
import { openDocument } from './document-file.ts'
import { settingsFolder } from './settings-folder.ts'

/** `browse.json` of the settings folder: keys of a person's own, and how the screens of each place were left. */
export interface BrowseDocument {
  /** By the id of an action. CrmError `invalid_input` when the file holds something else. */
  keys(): Promise<Readonly<Record<string, readonly string[]>>>
  /** What was remembered of a place; an empty object when nothing was. */
  left(place: string): Promise<JsonObject>
  /** No folder is made for it: who has no settings is not given any. */
  remember(place: string, left: JsonObject): Promise<void>
}

export function openBrowseDocument(env: Env): BrowseDocument {
  const file = openDocument(join(settingsFolder(env), 'browse.json'), readOwnFile)
  return {
    keys: async () => {
      const entries = Object.entries(objectIn(await file.read(), 'keys', file.path))
      return Object.fromEntries(
        entries.map(([id, keys]) => {
          if (Array.isArray(keys) && keys.every((key) => typeof key === 'string')) return [id, keys as string[]]
          throw damaged(file.path, `keys.${id} is no list of keys, such as ["x"]`)
        }),
      )
    },
    left: async (place) => {
      const places = objectIn(await file.read(), 'places', file.path)
      const left = Object.hasOwn(places, place) ? places[place] : undefined
      return isJsonObject(left) ? left : {}
    },
    remember: async (place, left) => {
      if (existsSync(dirname(file.path))) await file.update((document) => replaceIn(document, ['places', place], left))
    },
  }
}
