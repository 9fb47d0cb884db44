import { rowId } from '../list/list-state.ts'
import { firstWord, missing } from './command-text.ts'
import { isConfirmed } from './confirm.ts'
import { rowsOf } from './numbers.ts'
import type { Plain, PlainCommand, PlainScreen } from './plain.ts'

const JOBS: readonly PlainScreen[] = ['jobs']

export const JOB_COMMANDS: readonly PlainCommand[] = [
  { word: 'resume', usage: 'NUMBER', title: 'send what is left of a job', screens: JOBS, run: resume },
  { word: 'retry', usage: 'NUMBER', title: 'send the failed rows of a job again', screens: JOBS, run: retry },
  {
    word: 'correct',
    usage: 'NUMBER CAUSE MEMBER=VALUE',
    title: 'send the rows that failed for a cause, changed: correct 1 1 stage=Lead; NUMBER says the causes',
    screens: JOBS,
    run: correct,
  },
  {
    word: 'others',
    usage: '',
    title: 'include the jobs of other servers, or no longer',
    screens: JOBS,
    run: async ({ background, listing }) => {
      await background.jobs.toggleOthers()
      await listing.reload()
    },
  },
]

function jobOf({ listing }: Plain, number: string, usage: string): { id: string; count: (name: string) => number } {
  const [row, other] = rowsOf(number, listing)
  const id = rowId(row)
  if (id === undefined || other) throw missing(usage)
  return { id, count: (name) => Number(row?.[name] ?? 0) }
}

async function resume(plain: Plain, rest: string): Promise<void> {
  const { id, count } = jobOf(plain, rest, 'resume NUMBER')
  const title = `Resume ${id} on ${plain.store.get().place.text}? ${count('unsent')} rows are not sent`
  const lines = ['Rows that are done are not sent again.']
  if (await isConfirmed(plain, { title, diff: [], lines, count: count('unsent') }))
    await plain.background.jobs.resume(id)
}

async function retry(plain: Plain, rest: string): Promise<void> {
  const { id, count } = jobOf(plain, rest, 'retry NUMBER')
  if (count('failed') === 0) return plain.say(`No row of ${id} failed.`)
  const left = count('still_failed')
  if (left === 0) return plain.say(`Retries of ${id} have sent all rows that failed in it.`)
  const title = `Send the ${left} failed rows of ${id} to ${plain.store.get().place.text} again?`
  if (await isConfirmed(plain, { title, diff: [], lines: [], count: left })) await plain.background.jobs.retry(id)
}

async function correct(plain: Plain, rest: string): Promise<void> {
  const { background, say, store } = plain
  const [number, more] = firstWord(rest)
  const [causeNumber, member] = firstWord(more)
  const { id } = jobOf(plain, number, 'correct NUMBER CAUSE MEMBER=VALUE')
  const causes = await background.jobs.causes(id)
  const cause = causes[Number(causeNumber) - 1]
  if (causes.length === 0) return say('No row failed for a reason that can be corrected.')
  if (!cause || member === '') {
    for (const [at, { text }] of causes.entries()) say(`cause ${at + 1}: ${text}`)
    throw missing('correct NUMBER CAUSE MEMBER=VALUE')
  }
  const check = await background.jobs.checker(id)
  const corrected = check && (await background.jobs.correct(id, cause, check(member)))
  if (!corrected) return
  const { rows, lines } = corrected
  const title = `Send ${rows} corrected ${rows === 1 ? 'row' : 'rows'} to ${store.get().place.text}?`
  const all = [...lines, ...(rows > lines.length ? [`and ${rows - lines.length} more`] : [])]
  if (await isConfirmed(plain, { title, diff: [], lines: all, count: rows })) await corrected.send()
  else corrected.drop()
}
