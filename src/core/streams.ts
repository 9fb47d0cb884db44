import { tmpdir } from 'node:os'

/** The part of a writable stream that crm uses, so that a test can pass an object literal. */
export interface OutputStream {
  /** False when the reader is slow: wait for `drain` before the next write. */
  write(text: string | Uint8Array): boolean
  once?(event: 'drain', listener: () => void): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface InputStream extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
  /** An iterator that can be abandoned without ending the stream, so that a second question can be asked. */
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array | string>
  /** Puts back bytes that were read too far. */
  unshift?(chunk: Uint8Array): void
  /** Stops reading; reading a terminal keeps the process alive. */
  pause?(): unknown
  /** Allows the process to end during a pending read. */
  unref?(): unknown
  ref?(): unknown
}

export interface Io {
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

export type Env = Readonly<Record<string, string | undefined>>

/** Writes and waits for a slow reader, so that no output accumulates in memory. */
export async function writeText(stream: OutputStream, text: string | Uint8Array): Promise<void> {
  if (text.length === 0 || stream.write(text) || !stream.once) return
  await new Promise<void>((resolve) => stream.once?.('drain', resolve))
}

/** The environment for a program that needs no secret of crm, and would pass it on to its children. */
export function envWithoutSecrets(env: Env): Env {
  const { CRM_API_KEY: _, CRM_CLIENT_SECRET: __, CRM_DATABASE_URL: ___, ...others } = env
  return others
}

/** The folder for temporary files: `TMPDIR`, or that of the system. */
export function temporaryFolder({ TMPDIR }: Env): string {
  return TMPDIR || tmpdir()
}
