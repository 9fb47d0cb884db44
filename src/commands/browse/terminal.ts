import { CrmError } from '../../core/errors.ts'
import type { Io } from '../../core/streams.ts'

export interface Terminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
}

/** Where both are a terminal they are streams of the process, whole. CrmError `usage` names what does without. */
export function terminalOf({ stdin, stdout }: Io, command: string, instead: string): Terminal {
  if (stdout.isTTY && stdin.isTTY) {
    return { stdin: stdin as unknown as NodeJS.ReadStream, stdout: stdout as unknown as NodeJS.WriteStream }
  }
  throw new CrmError('usage', `${command} needs a terminal, and ${stdout.isTTY ? 'stdin' : 'stdout'} is none`, {
    hint: instead,
  })
}
