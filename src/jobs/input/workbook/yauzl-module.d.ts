// yauzl publishes no types; these are the parts that crm uses.

declare module 'yauzl' {
  export interface Entry {
    readonly fileName: string
    readonly compressedSize: number
    readonly crc32: number
    readonly uncompressedSize: number
    isEncrypted(): boolean
  }

  export interface ZipFile {
    eachEntry(): AsyncIterable<Entry>
    openReadStreamPromise(entry: Entry): Promise<AsyncIterable<Buffer>>
    close(): void
  }

  export function openPromise(
    path: string,
    options: { readonly lazyEntries: boolean; readonly autoClose: boolean },
  ): Promise<ZipFile>
}
