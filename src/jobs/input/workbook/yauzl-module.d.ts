// yauzl publishes no types; these are the parts that crm uses.

declare module 'yauzl' {
  import type { Readable } from 'node:stream'

  export interface Entry {
    readonly fileName: string
    readonly compressedSize: number
    readonly crc32: number
    readonly uncompressedSize: number
    isEncrypted(): boolean
  }

  export interface ZipFile {
    eachEntry(): AsyncIterable<Entry>
    openReadStreamPromise(entry: Entry): Promise<Readable>
    close(): void
  }

  export interface Options {
    readonly lazyEntries: boolean
    readonly autoClose: boolean
  }

  export function openPromise(path: string, options: Options): Promise<ZipFile>
}
