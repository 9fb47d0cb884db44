import { plainEnv, timeCommands } from './processes.ts'
import type { Row } from './table.ts'

/** What `node -e 0` took on the quiet machine for which the goals in milliseconds were set. */
const QUIET_NODE_MS = 26

/** The time of one `node -e 0`, to be taken in turns with what stands beside it. */
export function timeNode(): number {
  return timeCommands({ bare: [process.execPath, '-e', '0'] }, 1, plainEnv()).bare ?? Number.NaN
}

interface Measured {
  readonly what: string
  readonly tookMs: number
  /** The median of `timeNode`. */
  readonly bareMs: number
  /** On the quiet machine; on others, as many times more as Node takes there. */
  readonly goalMs: number
}

export function besideNode({ what, tookMs, bareMs, goalMs }: Measured): Row {
  return {
    what: `${what}; beside node -e 0`,
    measured: `${tookMs.toFixed(0)} ms`,
    peer: `${bareMs.toFixed(0)} ms (goal: ${goalMs} ms where that takes ${QUIET_NODE_MS})`,
    ratio: tookMs / bareMs,
    goal: { atMost: Number((goalMs / QUIET_NODE_MS).toFixed(1)) },
  }
}
