import type { WhereErrors } from '../expr/expressions.ts'
import type { ProgressFlag } from '../output/progress.ts'
import type { FieldPath, Format } from '../output/record-output.ts'
import type { ColorFlag } from '../output/terminal-text.ts'

/** The flags that mean the same for every command that has them, with their defaults filled in. */
export interface GlobalFlags {
  readonly profile: string | undefined
  readonly output: Format
  readonly fields: readonly FieldPath[] | undefined
  readonly limit: number | undefined
  /** A jq expression: only records for which it is true. */
  readonly where: string | undefined
  /** Whether a record on which it fails ends the command, or is skipped. */
  readonly whereErrors: WhereErrors
  /** A jq expression: its results are printed. */
  readonly jq: string | undefined
  readonly isCsvSafe: boolean
  readonly progress: ProgressFlag
  readonly isPagerAllowed: boolean
  readonly isInputAllowed: boolean
  readonly isConfirmed: boolean
  readonly isDryRun: boolean
  readonly isExitCodeWanted: boolean
  readonly isQuiet: boolean
  readonly isDebug: boolean
  readonly timeoutMs: number
  readonly maxWaitMs: number
  readonly color: ColorFlag
  readonly keyFile: string | undefined
  readonly isKeyOnStdin: boolean
}

/** For a function that needs these flags alone. */
export interface WithFlags<Name extends keyof GlobalFlags> {
  readonly flags: Pick<GlobalFlags, Name>
}
