import { clientSteps } from './client-steps.ts'
import type { Setting } from './rules.ts'
import { normalised, textOf } from './same-state.ts'
import { START, type State } from './state.ts'
import { worldSteps } from './world-steps.ts'

export interface Verdict {
  readonly states: number
  /** What went wrong and the shortest way there; undefined when nothing can. */
  readonly counterExample: { readonly fault: string; readonly steps: readonly string[] } | undefined
}

interface Seen {
  readonly states: State[]
  /** How each state was first reached, and from which. */
  readonly ways: { readonly from: number; readonly name: string }[]
  readonly predecessors: number[][]
}

/** Every state that can be reached, in order of distance, until one is wrong. */
export function explore(setting: Setting): Verdict {
  const seen: Seen = { states: [START], ways: [{ from: -1, name: '' }], predecessors: [[]] }
  const numbers = new Map([[textOf(START), 0]])
  for (let number = 0; number < seen.states.length; number++) {
    const state = seen.states[number] as State
    const fault = faultOf(state, setting)
    if (fault) return { states: seen.states.length, counterExample: { fault, steps: wayTo(number, seen) } }
    for (const { name, next } of [...clientSteps(state, setting), ...worldSteps(state, setting)]) {
      const reached = normalised(next)
      const text = textOf(reached)
      const known = numbers.get(text)
      if (known !== undefined) {
        seen.predecessors[known]?.push(number)
        continue
      }
      numbers.set(text, seen.states.length)
      seen.states.push(reached)
      seen.ways.push({ from: number, name })
      seen.predecessors.push([number])
    }
  }
  const stuck = firstThatNeverFinishes(seen)
  const counterExample = stuck === -1 ? undefined : { fault: 'lost: it can never finish', steps: wayTo(stuck, seen) }
  return { states: seen.states.length, counterExample }
}

function faultOf(state: State, { isReadable }: Setting): string | undefined {
  if (state.recordCount > 1) return 'duplicate'
  if (state.client.phase !== 'finished') return undefined
  if (state.durable.verdict === 'done' && state.recordCount === 0) return 'done, and there is no record'
  if (state.durable.verdict === 'in doubt' && isReadable) return 'in doubt, though it could be looked up'
  return undefined
}

/** From wherever crashes and losses have led, there is a way on to a finished account. */
function firstThatNeverFinishes({ states, predecessors }: Seen): number {
  const canFinish = new Uint8Array(states.length)
  const open = states.flatMap((state, number) => (state.client.phase === 'finished' ? [number] : []))
  for (const number of open) canFinish[number] = 1
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    for (const before of predecessors[number] ?? []) {
      if (canFinish[before]) continue
      canFinish[before] = 1
      open.push(before)
    }
  }
  return canFinish.indexOf(0)
}

function wayTo(number: number, { ways }: Seen): string[] {
  const steps: string[] = []
  for (let way = ways[number]; way && way.from >= 0; way = ways[way.from]) steps.unshift(way.name)
  return steps
}
