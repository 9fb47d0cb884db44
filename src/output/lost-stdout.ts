/** What a command has sent by the time that its output cannot be written. */
export interface SentSoFar {
  /** It sends, or has sent, what changes something: its exit code tells how that went. */
  isWrite: boolean
  /** What took effect, for the message. */
  taken: string | undefined
}

/**
 * A reader that has seen enough (`crm ... | head`) is success for what is only read. A command that writes goes on
 * without a reader, and ends with its own exit code. A full disk is 13 for all.
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
    if (!sent.isWrite) exit(0)
    isReaderGone = true
    stdout.write = () => true
    // Who waits for the reader would wait for good.
    stdout.emit('drain')
  })
}
