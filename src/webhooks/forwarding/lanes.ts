/** Runs tasks of one key in order of submission, and at most `limit` tasks at the same time. */
export interface Lanes {
  run<Result>(key: string | undefined, work: () => Promise<Result>): Promise<Result>
}

export function createLanes(limit: number): Lanes {
  const lastOfKey = new Map<string, Promise<unknown>>()
  const waiting: (() => void)[] = []
  let running = 0

  async function runInTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running < limit) running++
    // A finished task passes its slot to the longest waiting task.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  return {
    run(key, work) {
      if (key === undefined) return runInTurn(work)
      const before = lastOfKey.get(key) ?? Promise.resolve()
      const result = before.then(() => runInTurn(work))
      const ended = result.then(
        () => {},
        () => {},
      )
      lastOfKey.set(key, ended)
      void ended.then(() => {
        if (lastOfKey.get(key) === ended) lastOfKey.delete(key)
      })
      return result
    },
  }
}
