import type { Draft } from './draft.ts'
import type { Verdict } from './row.ts'

/** The beginning of an input as text, from which its format is detected. */
export interface Sample {
  readonly text: string
  readonly isWhole: boolean
}

/** What a format makes of an input. */
export interface OpenInput {
  readonly verdict: Verdict
  /** Values are texts as a file of cells has them, not JSON. */
  readonly areCells: boolean
  /** From the beginning, each time. `onBlank` gets the lines of blank rows. */
  drafts(onBlank: (line: number) => void): AsyncIterable<readonly Draft[]>
}
