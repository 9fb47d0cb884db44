/** The effects of a command, for the case that its output cannot be written. */
export interface SentSoFar {
  /** The exit code is a result: of a write, or of a search. */
  isExitCodeKept: boolean
  /** The changes that took effect, for the message. */
  changes: string | undefined
  isReaderGone: boolean
}

/**
 * A reader that closes the pipe (`crm ... | head`) ends a list with success. A command whose exit code is a result continues
 * without a reader. A full disk is exit 13 for every command.
 */
export function watchStdout({ stdout, stderr, exit }: NodeJS.Process, sent: SentSoFar): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (sent.isReaderGone) return
    const what = sent.changes === undefined ? '' : `; what took effect: ${sent.changes}`
    if (error.code !== 'EPIPE') {
      stderr.write(
        `crm: cannot write the output: ${error.message}${what}\n  free some space, or write to another place\n`,
      )
      exit(13)
    }
    if (what !== '') stderr.write(`crm: the reader of the output is gone${what}\n`)
    if (!sent.isExitCodeKept) exit(0)
    sent.isReaderGone = true
    stdout.write = () => true
    // A writer that awaits `drain` would never continue.
    stdout.emit('drain')
  })
}
