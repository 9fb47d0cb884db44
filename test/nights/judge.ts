import { accountFault } from '../torture/judge.ts'

/** A contact of the server, or what is expected of it: its id is left out where it is created anew. */
export type Contact = Readonly<Record<string, unknown>> & { readonly email: string }

export interface Counts {
  readonly create: number
  readonly update: number
  readonly unchanged: number
}

/** One run of the line: how it ended, and how it was to end. */
export interface NightRun {
  readonly exit: number | string
  readonly wanted: number | 'SIGKILL'
  /** What the plan has to count; undefined where the file is not compared. */
  readonly plan?: Counts
  /** It goes on with the plan of a run before it. */
  readonly isResumed?: true
}

/** What there is in the morning, and what there should be. */
export interface Morning {
  readonly expected: ReadonlyMap<string, Contact>
  readonly found: readonly Contact[]
  readonly runs: readonly NightRun[]
  /** Of `--log` and of the program of `--on-failure`: what this night added. */
  readonly log: string
  readonly alerts: string
  /** Names, emails and numbers of people, of which none may be in either. */
  readonly personal: Iterable<string>
}

const COMPARED = ['id', 'name', 'phone', 'company', 'tier']

/** What is wrong in the morning; nothing where all is as the rules say. */
export function judgeMorning({ expected, found, runs, log, alerts, personal }: Morning): readonly string[] {
  return [
    ...contactFaults(expected, found),
    ...runs.flatMap(({ exit, wanted }, at) => (exit === wanted ? [] : [`run ${at}: exit ${exit}, not ${wanted}`])),
    ...logFaults(log, runs),
    ...alertFaults(alerts, runs),
    ...[...personal].flatMap((text) => (log.includes(text) ? [`the log has ${text}`] : [])),
    ...[...personal].flatMap((text) => (alerts.includes(text) ? [`an alert has ${text}`] : [])),
  ]
}

/** Every email once, and all members that are compared. */
export function contactFaults(expected: ReadonlyMap<string, Contact>, found: readonly Contact[]): readonly string[] {
  const byEmail = Map.groupBy(found, ({ email }) => email)
  const faults = [...byEmail].flatMap(([email, { length }]) => [
    ...(length > 1 ? [`${email} is there ${length} times`] : []),
    ...(expected.has(email) ? [] : [`${email} should not be there`]),
  ])
  for (const [email, wanted] of expected) {
    const [contact] = byEmail.get(email) ?? []
    if (!contact) faults.push(`${email} is missing`)
    else faults.push(...memberFaults(wanted, contact))
  }
  return faults
}

function memberFaults(wanted: Contact, contact: Contact): readonly string[] {
  return COMPARED.flatMap((name) => {
    if (name === 'id' && wanted.id === undefined) return []
    const [is, should] = [contact[name] ?? null, wanted[name] ?? null]
    return is === should ? [] : [`${name} of ${wanted.email} is ${JSON.stringify(is)}, not ${JSON.stringify(should)}`]
  })
}

/** Of an import that was cut off: each contact is as before or as after, and none is there twice. */
export function halfwayFaults(
  before: ReadonlyMap<string, Contact>,
  after: ReadonlyMap<string, Contact>,
  found: readonly Contact[],
): readonly string[] {
  const expected = new Map(before)
  for (const contact of found) {
    const done = after.get(contact.email)
    if (done && memberFaults(done, contact).length === 0) expected.set(contact.email, done)
  }
  return contactFaults(expected, found)
}

type Event = Readonly<Record<string, unknown>>

/** Members of any event beside the counts, which are numbers. */
const WORDS: Readonly<Record<string, RegExp>> = {
  time: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  event: /^(start|wait|plan|account|end)$/,
  command: /^crm contacts import$/,
  job: /^job_\w+$/,
  code: /^[a-z_]+$/,
}

/** Each run begins with its start, and ends with its exit code unless it was killed. */
function logFaults(log: string, runs: readonly NightRun[]): readonly string[] {
  const faults: string[] = []
  const written: Event[][] = []
  for (const line of log.split('\n').slice(0, -1)) {
    const event = eventOf(line)
    if (!event) return [`the log has a line that is no JSON: ${line}`]
    if (event.event === 'start') written.push([])
    written.at(-1)?.push(event)
    for (const [name, value] of Object.entries(event)) {
      const isRight = typeof value === 'number' || WORDS[name]?.test(String(value)) === true
      if (!isRight) faults.push(`an event ${event.event} has ${name} ${JSON.stringify(value)}`)
    }
  }
  if (log !== '' && !log.endsWith('\n')) faults.push('the last line of the log is cut off')
  if (written.length !== runs.length) faults.push(`the log has ${written.length} runs, not ${runs.length}`)
  return [
    ...faults,
    ...runs.flatMap((run, at) => runFaults(run, written[at] ?? []).map((fault) => `run ${at}: ${fault}`)),
  ]
}

const EVENTS = ['start', 'wait', 'plan', 'account', 'end']

function runFaults({ wanted, plan: counts, isResumed }: NightRun, events: readonly Event[]): readonly string[] {
  const of = (name: string) => events.filter(({ event }) => event === name)
  const [[plan], [account], [end]] = [of('plan'), of('account'), of('end')]
  const repeated = EVENTS.filter((name) => of(name).length > 1).map((name) => `${of(name).length} events ${name}`)
  if (wanted === 'SIGKILL' && (account ?? end)) return ['it was killed, and the log has its end']
  const faults = [...repeated, ...countFaults(counts, isResumed ? counts : plan, account)]
  if (wanted === 'SIGKILL') return faults
  if (end !== events.at(-1) || end?.exit !== wanted) faults.push(`the log ends with ${JSON.stringify(events.at(-1))}`)
  if ((wanted === 0) !== (account !== undefined)) faults.push(`${of('account').length} accounts with exit ${wanted}`)
  if (account && account.failed !== 0) faults.push(`exit ${wanted} with ${account.failed} failed`)
  return faults
}

function countFaults(
  counts: Counts | undefined,
  plan: Event | Counts | undefined,
  account: Event | undefined,
): string[] {
  const fault = account && accountFault(account as unknown as Parameters<typeof accountFault>[0])
  const faults = fault ? [fault] : []
  if (!counts) return faults
  for (const name of ['create', 'update', 'unchanged'] as const) {
    if (plan?.[name] !== counts[name]) faults.push(`the plan counts ${plan?.[name]} ${name}, not ${counts[name]}`)
  }
  const done = counts.create + counts.update
  if (account && account.done !== done) faults.push(`the account counts ${account.done} done, not ${done}`)
  return faults
}

/** One alert for each run that failed, in their order. */
function alertFaults(alerts: string, runs: readonly NightRun[]): readonly string[] {
  const told = alerts.split('\n').slice(0, -1).map(eventOf)
  const wanted = runs.flatMap((run) => (typeof run.wanted === 'number' && run.wanted !== 0 ? [run.wanted] : []))
  const exits = told.map((alert) => alert?.exit)
  const faults = JSON.stringify(exits) === JSON.stringify(wanted) ? [] : [`alerts of exits ${exits}, not ${wanted}`]
  const isWhole = (alert: Event | undefined) =>
    alert?.command === 'crm contacts import' && typeof alert.account === 'object' && typeof alert.code === 'string'
  return [...faults, ...(told.every(isWhole) ? [] : [`an alert is not whole: ${alerts}`])]
}

function eventOf(line: string): Event | undefined {
  try {
    return JSON.parse(line) as Event
  } catch {
    return undefined
  }
}
