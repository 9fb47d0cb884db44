import type { JsonObject } from '../core/json.ts'
import { parseDocument } from './document.ts'

export interface DocumentFile {
  readonly path: string
  /** What the file held when it was first read, or since this object wrote. */
  read(): Promise<JsonObject>
  /** Makes the folder, and changes what the file holds now; it stays as it is when `change` throws. */
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
      // The validator in conf costs more than all else of a start: who only reads must not load it.
      const { changeDocument } = await import('./change-document.ts')
      await changeDocument(path, load, change)
      cached = undefined
    },
  }
}
