import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { settingsFolder } from '../files/folders.ts'
import { readOwnFile } from '../files/private-file.ts'
import { damaged, objectIn, openDocument, replaceIn } from './document.ts'

/** A screen with its filters. */
export interface SavedFilter {
  readonly screen: string
  /** The server filter, as typed: `stage=Won`. */
  readonly filter: string
  /** The text to find in loaded rows. */
  readonly find: string
}

/** `browse.json` of the settings folder: custom key bindings, and the last state of the screens of each place. */
export interface BrowseDocument {
  /** Key bindings by action id. CrmError `invalid_input` for a malformed file. */
  keys(): Promise<Readonly<Record<string, readonly string[]>>>
  /** The name of the chosen theme. */
  theme(): Promise<string | undefined>
  /** Every how many seconds the shown list is read again; 0 is never. */
  refresh(): Promise<number | undefined>
  setTheme(name: string): Promise<void>
  /** What a person saved, by its name. CrmError `invalid_input` for a malformed file. */
  saved(): Promise<Readonly<Record<string, SavedFilter>>>
  /** Undefined forgets it. */
  setSaved(name: string, saved: SavedFilter | undefined): Promise<void>
  /** The screen to begin with, whatever was shown last. */
  first(): Promise<string | undefined>
  setFirst(screen: string | undefined): Promise<void>
  /** The last state of a place; an empty object when there is none. */
  left(place: string): Promise<JsonObject>
  /** Does nothing when there is no settings folder. */
  remember(place: string, left: JsonObject): Promise<void>
}

const LONGEST_REFRESH_S = 86_400

export function openBrowseDocument(env: Env): BrowseDocument {
  const file = openDocument(join(settingsFolder(env), 'browse.json'), readOwnFile)
  return {
    keys: async () => {
      const entries = Object.entries(objectIn(await file.read(), 'keys', file.path))
      return Object.fromEntries(
        entries.map(([id, keys]) => {
          if (Array.isArray(keys) && keys.every((key) => typeof key === 'string')) return [id, keys as string[]]
          throw damaged(file.path, `keys.${id} is not an array of keys, such as ["x"]`)
        }),
      )
    },
    theme: async () => {
      const { theme } = await file.read()
      if (theme === undefined || typeof theme === 'string') return theme
      throw damaged(file.path, 'theme is not a name, such as "dark"')
    },
    refresh: async () => {
      const { refresh } = await file.read()
      if (refresh === undefined || refresh === 0) return refresh
      if (typeof refresh === 'number' && refresh >= 1 && refresh <= LONGEST_REFRESH_S) return refresh
      throw damaged(file.path, `refresh is not 0 or from 1 to ${LONGEST_REFRESH_S} seconds, such as 60`)
    },
    setTheme: async (name) => {
      if (existsSync(dirname(file.path))) await file.update((document) => ({ ...document, theme: name }))
    },
    saved: async () => {
      const entries = Object.entries(objectIn(await file.read(), 'saved', file.path))
      return Object.fromEntries(
        entries.map(([name, saved]) => {
          const { screen, filter = '', find = '' } = isJsonObject(saved) ? saved : {}
          if (typeof screen === 'string' && typeof filter === 'string' && typeof find === 'string')
            return [name, { screen, filter, find }]
          throw damaged(
            file.path,
            `saved.${name} is no screen with filters, such as {"screen": "deals", "filter": "stage=Won"}`,
          )
        }),
      )
    },
    setSaved: async (name, saved) => {
      await file.update((document) => replaceIn(document, ['saved', name], saved && { ...saved }))
    },
    first: async () => {
      const { first } = await file.read()
      if (first === undefined || typeof first === 'string') return first
      throw damaged(file.path, 'first is not a screen, such as "home"')
    },
    setFirst: async (screen) => {
      if (!existsSync(dirname(file.path))) return
      await file.update(({ first: _, ...document }) => ({
        ...document,
        ...(screen !== undefined && { first: screen }),
      }))
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
