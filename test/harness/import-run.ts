import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlanHead } from '../../src/jobs/plan/plan-format.ts'
import { digestOfRow } from '../../src/jobs/store/job-file.ts'
import type { JobPaths } from '../../src/jobs/store/job-folder.ts'
import { withJob } from '../../src/jobs/store/open-job.ts'
import { crm } from './crm.ts'
import type { Env } from './home.ts'
import { ask } from './records.ts'
import type { Service } from './service.ts'

interface Account {
  readonly rows: number
  readonly done: number
  readonly unchanged: number
  readonly skipped: number
  readonly failed: number
  readonly in_doubt: number
  readonly unsent: number
}

export interface JobRun {
  readonly exit: number | string
  readonly stderr: string
  /** Undefined where the command ended before there was one. */
  readonly account: Account | undefined
}

/** A command that sends a job, to its end; `run` is the built crm where the environment has to change the process. */
export async function runJob(args: readonly string[], env: Env, run: typeof crm = crm): Promise<JobRun> {
  const { exit, stdout, stderr } = await run([...args, '-o', 'json'], env)
  return { exit, stderr, account: stdout === '' ? undefined : (JSON.parse(stdout) as Account) }
}

export interface Person {
  readonly email: string
  readonly name: string
  readonly company?: string
}

export function somePeople(count: number): Person[] {
  return Array.from({ length: count }, (_, at) => ({ email: `p${at}@example.test`, name: `Person ${at}` }))
}

export function writePeople(folder: string, people: readonly Person[]): string {
  const file = join(folder, 'people.csv')
  const lines = people.map(({ email, name, company = '' }) => `${email},${name},${company}\n`)
  writeFileSync(file, `email,name,company\n${lines.join('')}`)
  return file
}

/** The emails of all contacts, in alphabetical order, twice where one is there twice. */
export async function emailsOn(service: Pick<Service, 'url' | 'key'>): Promise<string[]> {
  const emails: string[] = []
  for (let cursor: unknown = ''; cursor !== null; ) {
    const { body } = await ask(service, { path: `/v1/contacts?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}` })
    emails.push(...(body.data as { email: string }[]).map(({ email }) => email))
    cursor = body.next_cursor
  }
  return emails.sort()
}

export function emailsOf(people: readonly Person[]): string[] {
  return people.map(({ email }) => email).sort()
}

/** The ids of the jobs of a state home, the oldest first. */
export function jobsIn(stateHome: string): readonly string[] {
  const folder = join(stateHome, 'jobs')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.flatMap((name) => /^(job_\w+)\.db$/.exec(name)?.[1] ?? []).toSorted()
}

/** The only job of a state home. */
export function onlyJob(stateHome: string): string {
  const [job, ...more] = jobsIn(stateHome)
  if (job === undefined || more.length > 0) throw new Error(`expected one job in ${stateHome}`)
  return job
}

/** Replaces the head of a job by that of an earlier version. */
export function changeHead(paths: JobPaths, head: PlanHead): void {
  const text = JSON.stringify(head)
  withJob(paths, (job) => {
    job.write("UPDATE head SET text = ?, digest = ? WHERE name = 'plan'", text, digestOfRow('plan', text))
  })
}
