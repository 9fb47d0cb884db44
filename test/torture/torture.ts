import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Fault } from './faults.ts'
import { type Account, accountFault, compareEmails, emailsOn } from './judge.ts'
import { live } from './life.ts'
import type { ClientRun } from './processes.ts'
import { type Random, randomFrom } from './random.ts'
import type { ServerKind } from './server-kind.ts'
import { makeWorld, type World } from './world.ts'

/** One row in this many stands twice in the file: two records, both wanted. */
const ONE_TWIN_IN = 4

export interface TortureOptions {
  /** The launcher of the client that is judged. */
  readonly crm: string
  /** The launcher of the service, which is not. */
  readonly serviceCrm: string
  readonly serverKind?: ServerKind
  readonly kills: number
  readonly rows: number
  readonly seed: number
  /** Every kill is a power cut, and every power cut lasts a day. */
  readonly isHarsh: boolean
  /** Leave the folder of everything on the disk when something was wrong. */
  readonly isEvidenceKept: boolean
  readonly print: (line: string) => void
}

export interface Verdict {
  readonly kills: number
  readonly lives: number
  readonly imports: number
  readonly serviceKills: number
  readonly powerCuts: number
  readonly clockJumps: number
  readonly requests: number
  /** Rows that were named as being in doubt in the end. */
  readonly inDoubt: number
  readonly met: ReadonlyMap<Fault, number>
  /** What was wrong; empty when everything held. */
  readonly faults: readonly string[]
}

/** After a kill. */
const POWER_CUT_CHANCE = 0.4
const JUMP_CHANCE = 0.1
/** Who has lost power may come back a day later. */
const JUMP_CHANCE_AFTER_CUT = 0.5

/** A job that has been killed as often as was asked may take this many more runs to end. */
const MOST_RUNS_TO_END = 20

/** The job is done, or some rows are not; or it says that it can be resumed: rate limited, unreachable. */
const EXPECTED_EXITS: readonly (number | string)[] = [0, 3, 8, 9]

const HOUR_MS = 3_600_000
const DAY_MS = 25 * HOUR_MS
/** Within the window that a client assumes; past it, though the server still knows the keys; past both, twice as often. */
const JUMPS_MS = [HOUR_MS / 6, 2 * HOUR_MS, DAY_MS, DAY_MS] as const

class Torture {
  readonly #options: TortureOptions
  readonly #world: World
  readonly #random: Random
  readonly counts = { kills: 0, lives: 0, imports: 0, serviceKills: 0, powerCuts: 0, clockJumps: 0, inDoubt: 0 }
  /** How often each email was named as being in doubt. */
  readonly #doubts = new Map<string, number>()
  readonly faults: string[] = []

  constructor(options: TortureOptions, world: World, random: Random) {
    this.#options = options
    this.#world = world
    this.#random = random
  }

  async run(): Promise<void> {
    while (this.counts.kills < this.#options.kills && this.faults.length === 0) {
      this.counts.imports++
      await this.#finishImport(this.counts.imports)
      if (this.faults.length === 0) await this.#judge(true)
      const { kills, imports, lives } = this.counts
      this.#options.print(`${kills} kills, ${lives} lives, ${imports} imports`)
    }
  }

  async #finishImport(batch: number): Promise<void> {
    const file = join(this.#world.folder, `people-${batch}.csv`)
    writeFileSync(file, peopleCsv(this.#options.rows, batch))
    const earlierJobs = jobsIn(this.#world.jobsFolder)
    let runsLeft = MOST_RUNS_TO_END
    while (this.faults.length === 0) {
      const isToBeKilled = this.counts.kills < this.#options.kills
      if (!isToBeKilled && runsLeft-- === 0) this.faults.push(`import ${batch} does not end`)
      const args = this.#nextCommand(file, earlierJobs)
      const { crm } = this.#options
      const { run, isKilled, isServiceReplaced } = await live(this.#world, this.#random, { crm, args, isToBeKilled })
      this.counts.lives++
      if (isServiceReplaced) this.counts.serviceKills++
      if (isKilled) await this.#afterKill()
      else if (this.#hasEnded(args, run)) return
    }
  }

  /** The same command, or the one that goes on with the job that it has made. */
  #nextCommand(file: string, earlierJobs: readonly string[]): string[] {
    const job = jobsIn(this.#world.jobsFolder).find((each) => !earlierJobs.includes(each))
    const isResumed = job !== undefined && this.#random.chance(0.5)
    return isResumed ? ['jobs', 'resume', job, '-o', 'json'] : ['contacts', 'import', file, '-o', 'json', '--yes']
  }

  async #afterKill(): Promise<void> {
    this.counts.kills++
    const { isHarsh } = this.#options
    const isPowerCut = isHarsh || this.#random.chance(POWER_CUT_CHANCE)
    if (isPowerCut) {
      this.#world.disk.cutPower(this.#random)
      this.counts.powerCuts++
    }
    if (isHarsh || this.#random.chance(isPowerCut ? JUMP_CHANCE_AFTER_CUT : JUMP_CHANCE)) {
      await this.#world.jumpClock(isHarsh ? DAY_MS : this.#random.pick(JUMPS_MS))
      this.counts.clockJumps++
    }
    await this.#judge(false)
  }

  #hasEnded(args: readonly string[], run: ClientRun): boolean {
    if (!EXPECTED_EXITS.includes(run.exit)) {
      this.faults.push(`crm ${args.join(' ')}: exit ${run.exit}\n${run.stderr}`)
      return true
    }
    const account = readAccount(run.stdout)
    const fault = account && accountFault(account)
    if (fault) this.faults.push(fault)
    if (run.exit === 3) return this.#hasDoubts(account, run)
    if (run.exit !== 0) return false
    if (account && account.done + account.unchanged !== account.rows) {
      this.faults.push(`exit 0 with an account of ${JSON.stringify(account)}`)
    }
    return true
  }

  /** Exit 3: what was in doubt is counted and named, where the server leaves no other way. */
  #hasDoubts(account: Account | undefined, run: ClientRun): boolean {
    const { serverKind = 'keeps-keys' } = this.#options
    const mayDoubt = serverKind === 'blind' && account?.failed === 0
    if (!account || !mayDoubt || account.unsent > 0) {
      this.faults.push(`rows failed, or are in doubt: ${JSON.stringify(account)}\n${run.stderr}`)
      return true
    }
    const job = jobsIn(this.#world.jobsFolder).at(-1) ?? ''
    const named = emailsIn(readFileSync(join(this.#world.jobsFolder, `${job}.failed.csv`), 'utf8'))
    if (named.length !== account.in_doubt) {
      this.faults.push(`${account.in_doubt} rows are in doubt, and ${named.length} are named`)
    }
    for (const email of named) this.#doubts.set(email, (this.#doubts.get(email) ?? 0) + 1)
    this.counts.inDoubt += named.length
    return true
  }

  /** While an import is under way rows may be missing, but none may be there twice. */
  async #judge(isWhole: boolean): Promise<void> {
    await this.#world.proxy.settled()
    const { rows } = this.#options
    const wanted = new Map<string, number>()
    for (let batch = 1; batch <= this.counts.imports; batch++) {
      for (const [email, count] of expectedEmails(rows, batch)) wanted.set(email, count)
    }
    const found = await emailsOn({ url: this.#world.serviceUrl(), key: this.#world.key })
    const { duplicates, lost } = compareEmails(wanted, found, this.#doubts)
    if (duplicates > 0) this.faults.push(`${duplicates} rows are there twice`)
    if (isWhole && lost > 0) this.faults.push(`${lost} rows are missing`)
    if (this.#world.proxy.reusedKeys.length > 0) this.faults.push('one key was sent with two bodies')
  }
}

function jobsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => /^(job_\w+)\.db$/.exec(name)?.[1] ?? [])
}

export async function torture(options: TortureOptions): Promise<Verdict> {
  const random = randomFrom(options.seed)
  const world = await makeWorld(options.serviceCrm, options.serverKind ?? 'keeps-keys', random)
  const rig = new Torture(options, world, random)
  try {
    await rig.run()
    return { ...rig.counts, faults: rig.faults, met: world.proxy.met, requests: world.proxy.requestCount }
  } finally {
    const isKept = options.isEvidenceKept && rig.faults.length > 0
    if (isKept) options.print(`what it left behind: ${world.folder}`)
    await world.end(isKept)
  }
}

/** A CSV of contacts, some of them twice, one column with what makes CSV hard. */
function peopleCsv(count: number, batch: number): string {
  const lines = ['email,name,company']
  for (let number = 0; number < count; number++) lines.push(personLine(number, batch))
  return `${lines.join('\r\n')}\r\n`
}

function personLine(number: number, batch: number): string {
  const person = number % ONE_TWIN_IN === 1 ? number - 1 : number
  return `p${person}.b${batch}@example.test,Person ${person},"Rows, ""quoted""\nand split ${person}"`
}

/** How often each email must be on the service in the end. */
function expectedEmails(count: number, batch: number): Map<string, number> {
  const emails = new Map<string, number>()
  for (let number = 0; number < count; number++) {
    const [email = ''] = personLine(number, batch).split(',', 1)
    emails.set(email, (emails.get(email) ?? 0) + 1)
  }
  return emails
}

/** Of the rows of such a file, in their order, whatever columns stand before them. */
function emailsIn(csv: string): string[] {
  const rows: { email: string }[] = parse(csv, { columns: true })
  return rows.map(({ email }) => email)
}

/** What `-o json` printed; undefined where the run ended before it had an account. */
function readAccount(stdout: string): Account | undefined {
  return stdout.trim() === '' ? undefined : (JSON.parse(stdout) as Account)
}
