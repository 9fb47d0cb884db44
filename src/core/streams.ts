/** The part of a writable stream that crm uses, so that a fake is an object literal. */
export interface OutputStream {
  /** False when the reader is behind: wait for `drain` before writing more. */
  write(text: string): boolean
  once?(event: 'drain', listener: () => void): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface InputStream extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
  /** An iterator that can be left without ending the stream, so that a second question can be asked. */
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array | string>
  /** Puts back what was read too far. */
  unshift?(chunk: Uint8Array): void
  /** Stops reading; a terminal that is read keeps the process alive. */
  pause?(): unknown
  /** Lets the process end although a read is waiting. */
  unref?(): unknown
}

export interface Io {
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

export type Env = Readonly<Record<string, string | undefined>>

/** Writes and, when the reader is behind, waits for it: nothing piles up in memory. */
export async function writeText(stream: OutputStream, text: string): Promise<void> {
  if (text === '' || stream.write(text) || !stream.once) return
  await new Promise<void>((resolve) => stream.once?.('drain', resolve))
}
