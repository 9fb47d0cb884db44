import type { State, StateStore } from '../state.ts'
import { createDoneCommands } from './done-commands.ts'
import type { RefusedText } from './edit-record.ts'
import { createEvents, createLiveEvents, createSending } from './events.ts'
import { createFindConflicts } from './find-conflicts.ts'
import { createFollowing } from './following.ts'
import { createJobList } from './job-list.ts'
import { createKept } from './kept.ts'
import { createLists, createSearch } from './loading.ts'
import { createNotices } from './notices.ts'
import type { BackgroundWorld, Parts } from './parts.ts'
import { createSendChanges } from './send-changes.ts'
import { createShellCommands } from './shell.ts'
import { createUnderWay } from './under-way.ts'
import { createWebhooks } from './webhooks.ts'
import { createPlanReverse, createUndoHistory, createWrites } from './writes.ts'

export type Background = ReturnType<typeof createBackground>

export function createBackground(store: StateStore<State>, world: BackgroundWorld) {
  const { now, signal, live, findRecords } = world
  const [notices, commands] = [createNotices(store, now, signal), createDoneCommands(store, now)]
  const underWay = createUnderWay(store)
  const parts: Parts = { ...world, store, notices, commands, underWay, late: lateSignal(signal) }
  const history = createUndoHistory()
  const lists = createLists(parts)
  const findConflicts = createFindConflicts(parts)
  const jobs = createJobList(parts, lists.reload)
  return {
    ...{ notices, commands, underWay, history, lists, findConflicts, findRecords, jobs },
    /** Texts of the editor that were not saved, by list and id. */
    drafts: new Map<string, RefusedText>(),
    writes: createWrites(parts, history),
    search: createSearch(parts, lists.all),
    kept: createKept(parts),
    sendChanges: createSendChanges(parts, history, findConflicts),
    planReverse: createPlanReverse(parts, history, jobs.planUndo),
    events: live ? createLiveEvents(store, live) : createEvents(parts),
    sending: createSending(parts),
    webhooks: createWebhooks(parts),
    shell: createShellCommands(parts),
    following: createFollowing(parts),
  }
}

/** Longer than most requests take, and shorter than the time between SIGTERM and SIGKILL of service managers. */
const LAST_ANSWERS_MS = 8_000

function lateSignal(signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  signal.addEventListener('abort', () => void setTimeout(() => late.abort(signal.reason), LAST_ANSWERS_MS).unref())
  return late.signal
}
