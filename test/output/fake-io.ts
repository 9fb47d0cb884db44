import type { InputStream, Io } from '../../src/core/streams.ts'

export interface FakeIo extends Io {
  out(): string
  err(): string
}

/** Records what is written; `columns` makes stdout a terminal of that width. */
export function fakeIo({ columns, stdin }: { columns?: number; stdin?: InputStream } = {}): FakeIo {
  const written = { out: '', err: '' }
  const tty = columns === undefined ? {} : { isTTY: true, columns }
  return {
    stdin: stdin ?? (async function* () {})(),
    stdout: {
      ...tty,
      write: (text) => {
        written.out += text
        return true
      },
    },
    stderr: {
      write: (text) => {
        written.err += text
        return true
      },
    },
    out: () => written.out,
    err: () => written.err,
  }
}
