/** What a command has sent by the time that its output cannot be written. */
export interface SentSoFar {
  /** Its exit code tells something: what became of a write, or what was found. */
  isVerdict: boolean
  /** What took effect, for the message. */
  taken: string | undefined
}

/**
 * A reader that has seen enough (`crm ... | head`) is success for a list. A command whose exit code tells something goes
 * on without a reader, and ends with that. A full disk is 13 for all.
 */
export function watchStdout({ stdout, stderr, exit }: NodeJS.Process, sent: SentSoFar): void {
  let isReaderGone = false
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isReaderGone) return
    const what = sent.taken === undefined ? '' : `; what took effect: ${sent.taken}`
    if (error.code !== 'EPIPE') {
      stderr.write(
        `crm: the output cannot be written: ${error.message}${what}\n  free some space, or write to another place\n`,
      )
      exit(13)
    }
    if (what !== '') stderr.write(`crm: nobody reads the output${what}\n`)
    if (!sent.isVerdict) exit(0)
    isReaderGone = true
    stdout.write = () => true
    // Who waits for the reader would wait for good.
    stdout.emit('drain')
  })
}
