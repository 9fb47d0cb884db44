import { writeSync } from 'node:fs'
import type { OutputStream } from '../core/streams.ts'

/**
 * stdout without Node's stream, which loads the code for sockets: a twentieth of a Tab. `openStream` is called for what a pipe
 * does not take at once. A shell that no longer reads is ignored.
 */
export function directOutput(openStream: () => OutputStream): OutputStream {
  return {
    write(text) {
      let rest = Buffer.from(text)
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') return openStream().write(rest)
      }
      return true
    },
  }
}
