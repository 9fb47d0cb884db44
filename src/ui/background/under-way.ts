import { setImmediate as nextTurn } from 'node:timers/promises'
import { CrmError } from '../../core/errors.ts'
import type { JobResult } from '../../jobs/job.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import type { RunTerms } from '../../jobs/send/services.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { createRate } from '../../output/progress.ts'
import type { SendProgress, State, StateStore } from '../state.ts'

/** Each change of a list copies it, which for every row of a long list would take longer than the requests. */
const BATCH_EVERY_MS = 250
/** The part of the time that showing may take, whatever the length of the list. */
const MOST_SHARE = 0.1

export function createBatches<Item>(show: (items: readonly Item[]) => void) {
  let waiting: Item[] = []
  let timer: NodeJS.Timeout | undefined
  let pauseMs = BATCH_EVERY_MS
  const flush = () => {
    timer = undefined
    const items = waiting
    waiting = []
    const startedMs = performance.now()
    if (items.length > 0) show(items)
    pauseMs = Math.max(BATCH_EVERY_MS, (performance.now() - startedMs) / MOST_SHARE)
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

/** Running requests: the screens show them, and ask before they close. */
export type UnderWay = ReturnType<typeof createUnderWay>

export interface TrackedRows {
  readonly stop: AbortSignal
  /** The function is asked for the counts four times a second. */
  watch(counts: () => RowCounts): void
}

export type RowCounts = Pick<SendProgress, 'total' | 'ended' | 'failed' | 'pausedBy' | 'jobId'>

const SHOWN_EVERY_MS = 250

export function createUnderWay(store: StateStore<State>) {
  const running = new Set<Promise<unknown>>()
  const stops = new Set<AbortController>()
  let count = 0

  /** `what` is shown: `2 updates of contacts`. */
  async function track<Result>(what: string, work: (id: number) => Promise<Result>): Promise<Result> {
    const id = ++count
    const ended = Promise.withResolvers<void>()
    running.add(ended.promise)
    store.update((state) => ({ ...state, underWay: [...state.underWay, { id, what, progress: undefined }] }))
    try {
      return await work(id)
    } finally {
      store.update((state) => ({ ...state, underWay: state.underWay.filter((each) => each.id !== id) }))
      running.delete(ended.promise)
      ended.resolve()
    }
  }

  return {
    track,
    /** Work of many rows, whose progress is shown, and which the stop key ends. */
    trackRows: <Result>(what: string, work: (rows: TrackedRows) => Promise<Result>) =>
      track(what, async (id) => {
        const stop = new AbortController()
        const meter = createMeter(store, id, stop.signal)
        stops.add(stop)
        try {
          return await work({ stop: stop.signal, watch: meter.watch })
        } finally {
          stops.delete(stop)
          meter.close()
        }
      }),
    /** Ends all work of many rows after the requests that were sent; false when there is none. */
    stop: () => {
      for (const stop of stops) stop.abort(new Error('the stop key was pressed'))
      return stops.size > 0
    },
    /** Resolves when no request is running. */
    settled: async () => {
      while (running.size > 0) await Promise.all(running)
      // The caller that awaited the last request reports its result first.
      await nextTurn()
    },
  }
}

function createMeter(store: StateStore<State>, id: number, stop: AbortSignal) {
  const rate = createRate()
  let timer: NodeJS.Timeout | undefined
  const show = (counts: () => RowCounts) => {
    const now = counts()
    rate.measure(now.ended, performance.now())
    const progress = { ...now, perSecond: rate.perSecond(), isStopping: stop.aborted }
    store.update((state) => ({
      ...state,
      underWay: state.underWay.map((each) => (each.id === id ? { ...each, progress } : each)),
    }))
  }
  return {
    watch: (counts: () => RowCounts) => {
      rate.measure(counts().ended, performance.now())
      const again = () => show(counts)
      timer = setInterval(again, SHOWN_EVERY_MS)
      stop.addEventListener('abort', again, { once: true })
    },
    close: () => clearInterval(timer),
  }
}

/** The defaults of the commands, which leave a part of the rate limit to other clients. */
export const TERMS: RunTerms = { concurrency: undefined, rateShare: 0.8, maxErrors: undefined, maxOutageMs: 600_000 }

export interface JobToSend {
  readonly jobs: Jobs
  readonly paths: JobPaths
  readonly onEnd?: RunHooks['onEnd'] | undefined
}

export function sendInBackground({ stop, watch }: TrackedRows, { jobs, paths, onEnd }: JobToSend): Promise<JobResult> {
  let pausedBy: string | undefined
  return jobs.of(paths).run(TERMS, {
    stop,
    onStart: ({ counts }, { count: total }) =>
      watch(() => {
        const { done, failed, doubt } = counts
        return { total, ended: done + failed + doubt, failed: failed + doubt, pausedBy, jobId: paths.id }
      }),
    onPause: (pause) => {
      pausedBy = pause?.why
    },
    onEnd: onEnd ?? (() => {}),
  })
}

export function isInterrupted(error: unknown): error is CrmError {
  return error instanceof CrmError && error.code === 'interrupted'
}
