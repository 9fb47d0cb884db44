import { counted, resourceOf } from '../../core/resources/registry.ts'
import type { Noun } from '../plan/plan-head.ts'
import type { RunIdentity } from './earlier-jobs.ts'
import { allJobs, headOf } from './find-jobs.ts'
import { readJobState } from './job-state.ts'
import { heldUndos } from './undo-chain.ts'

const UUID_LENGTH = 36

interface Repeated extends Pick<RunIdentity, 'account' | 'run'> {
  readonly noun: Noun
}

/**
 * What a person is asked about before a run is done once more: how many records are there of it, and of which jobs. Undefined
 * where there are none, or they were taken back.
 */
export async function madeAlready(jobsFolder: string, { account, run, noun }: Repeated): Promise<string | undefined> {
  const undone = await heldUndos(jobsFolder)
  const ids: string[] = []
  let count = 0
  for (const paths of allJobs(jobsFolder)) {
    const head = headOf(paths)
    if (head.account !== account || head.kind === 'undo' || undone.has(paths.id) || !isOfRun(head.run, run)) continue
    const { done } = (await readJobState(paths)).account
    if (done === 0) continue
    ids.push(paths.id)
    count += done
  }
  if (count === 0) return undefined
  const what = `${counted(count, resourceOf(noun))} ${count === 1 ? 'is' : 'are'}`
  return `${what} there already from ${ids.join(', ')}; --again makes all of them once more.`
}

/** Also one that was done once more: `run.UUID`. */
function isOfRun(own: string, run: string): boolean {
  return own === run || (own.startsWith(`${run}.`) && own.length === run.length + 1 + UUID_LENGTH)
}
