import type { JsonObject } from '../core/json.ts'
import { parseDocument } from './document.ts'

export interface DocumentFile {
  readonly path: string
  /** Cached from the first read, or from the last update by this object. */
  read(): Promise<JsonObject>
  /** Creates the folder and changes the current contents of the file. The file is unchanged when `change` throws. */
  update(change: (document: JsonObject) => JsonObject): Promise<void>
}

/** `readText` decides who else may read the file. */
export function openDocument(path: string, readText: (path: string) => Promise<string | undefined>): DocumentFile {
  let cached: Promise<JsonObject> | undefined
  const load = async (): Promise<JsonObject> => parseDocument(await readText(path), path)
  return {
    path,
    read() {
      cached ??= load()
      return cached
    },
    async update(change) {
      // Loaded only for writes: the validator in conf takes longer than the rest of a start.
      const { changeDocument } = await import('./change-document.ts')
      await changeDocument(path, load, change)
      cached = undefined
    },
  }
}
