/** Choices that a seed repeats, as far as two processes and a network can be repeated at all. */
export interface Random {
  /** 0 up to, not including, 1. */
  next(): number
  /** A whole number, both ends included. */
  between(least: number, most: number): number
  chance(probability: number): boolean
  pick<One>(list: readonly One[]): One
}

/** Mulberry32: 32 bits of state are plenty for choosing what to break. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick: <One>(list: readonly One[]) => list[Math.floor(next() * list.length)] as One,
  }
}
