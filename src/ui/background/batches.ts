/** Each change of a list copies it, which for every row of a long list would take longer than the requests. */
const SHOWN_EVERY_MS = 250
/** The part of the time that showing may take, whatever the length of the list. */
const MOST_SHARE = 0.1

/** Shows items in few steps: each call of `show` has those since the last one. */
export function createBatches<Item>(show: (items: readonly Item[]) => void) {
  let waiting: Item[] = []
  let timer: NodeJS.Timeout | undefined
  let pauseMs = SHOWN_EVERY_MS
  const flush = () => {
    timer = undefined
    const items = waiting
    waiting = []
    const startedMs = performance.now()
    if (items.length > 0) show(items)
    pauseMs = Math.max(SHOWN_EVERY_MS, (performance.now() - startedMs) / MOST_SHARE)
  }
  return {
    add: (item: Item) => {
      waiting.push(item)
      timer ??= setTimeout(flush, pauseMs)
    },
    close: () => {
      clearTimeout(timer)
      flush()
    },
  }
}
