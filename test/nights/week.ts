import { randomFrom } from '../torture/random.ts'
import { type Contact, halfwayFaults, judgeMorning, type NightRun } from './judge.ts'
import { CAN_MOUNT, makeMachine } from './machine.ts'
import { imported, Source } from './source.ts'

export interface WeekOptions {
  readonly crm: string
  readonly rows: number
  readonly seed: number
  readonly print: (line: string) => void
}

export interface Week {
  readonly faults: readonly string[]
  readonly isDiskSkipped: boolean
  /** How often each thing happened that the rules are about. */
  readonly met: Readonly<Record<string, number>>
}

/** Seven nights of an import between a file and a server, both of which people change by day. */
export async function playWeek({ crm, rows, seed, print }: WeekOptions): Promise<Week> {
  const random = randomFrom(seed)
  const source = new Source(random, rows)
  const machine = await makeMachine(crm)
  const met = {
    'changed by the file': 0,
    'created again': 0,
    'kept beside the file': 0,
    'known to the server alone': 0,
  }
  const faults: string[] = []

  /** The people of both ends at work. */
  const day = async (busy = 1) => {
    const before = await machine.contacts()
    const inFile = new Set(source.rows.map(({ email }) => email))
    const [ours, theirs] = [
      before.filter(({ email }) => inFile.has(email)),
      before.filter(({ email }) => !inFile.has(email)),
    ]
    const some = (count: number, of = ours) => Array.from({ length: of.length && count }, () => random.pick(of).id)
    for (const id of some(12)) await machine.ask('PATCH', `/v1/contacts/${id}`, { tier: random.pick(['A', 'B']) })
    for (const id of some(6)) await machine.ask('PATCH', `/v1/contacts/${id}`, { company: 'Changed by a colleague' })
    for (const id of some(2))
      await machine.ask('PATCH', `/v1/contacts/${id}`, { email: `moved-${source.person().email}` })
    for (const id of new Set([...some(5), ...some(2, theirs)])) await machine.ask('DELETE', `/v1/contacts/${id}`)
    for (let made = 0; made < 4; made++) await machine.ask('POST', '/v1/contacts', { ...source.person(), tier: 'C' })
    const { email, name } = source.person()
    await machine.ask('POST', '/v1/contacts', { email, name, tier: 'C' })
    source.addKnown(email)
    source.add(20 * busy)
    source.remove(8)
    source.change(30 * busy)
    source.emptyPhones(5)
    return byEmail(await machine.contacts())
  }

  const note = (before: ReadonlyMap<string, Contact>) => {
    const inFile = new Set(source.rows.map(({ email }) => email))
    const pairs = source.rows.map((row) => ({ row, contact: before.get(row.email) }))
    const count = (name: keyof typeof met, list: readonly unknown[]) => (met[name] += list.length)
    count(
      'created again',
      pairs.filter(({ row, contact }) => !contact && known.has(row.email)),
    )
    count(
      'changed by the file',
      pairs.filter(({ row, contact }) => contact && contact.company !== row.company),
    )
    count(
      'kept beside the file',
      pairs.filter(({ contact }) => contact?.tier),
    )
    count(
      'known to the server alone',
      [...before.keys()].filter((email) => !inFile.has(email)),
    )
  }

  /** What was created in earlier nights. */
  const known = new Set<string>()
  const morning = async (night: string, expected: ReadonlyMap<string, Contact>, runs: readonly NightRun[]) => {
    const found = await machine.contacts()
    const wrong = judgeMorning({ expected, found, runs, ...machine.written(), personal: source.personal })
    faults.push(...wrong.map((fault) => `${night}: ${fault}`))
    print(`${night}: exit ${runs.map(({ exit }) => exit)}, ${found.length} contacts, ${wrong.length} faults`)
    for (const { email } of found) known.add(email)
  }

  const plainNight = async (night: string) => {
    const before = await day()
    note(before)
    machine.export(source.rows)
    const { expected, plan } = imported(before, source.rows)
    await morning(night, expected, [{ exit: await machine.run(), wanted: 0, plan }])
  }

  try {
    machine.export(source.rows)
    const first = imported(new Map(), source.rows)
    // On the first evening all are new, which the line of the nights would refuse.
    const evening = await machine.run({ line: (line) => line.replace('--expect-most 500', '') })
    await morning('the evening before', first.expected, [{ exit: evening, wanted: 0, plan: first.plan }])
    await machine.restart(['--rate-limit', '200/1s'])

    await plainNight('night 1')

    const busy = await day(6)
    machine.export(source.rows)
    const killed = imported(busy, source.rows)
    const isNew = (contacts: readonly Contact[]) => contacts.filter(({ email }) => !busy.has(email)).length
    const cut = await machine.run({ killWhen: async () => isNew(await machine.newest()) >= 20 })
    const halfway = await machine.contacts()
    faults.push(...halfwayFaults(busy, killed.expected, halfway))
    if (isNew(halfway) === killed.plan.create) faults.push('night 2: the kill came after the last create')
    await morning('night 2, killed and run again', killed.expected, [
      { exit: cut, wanted: 'SIGKILL', plan: killed.plan },
      { exit: await machine.run(), wanted: 0, plan: killed.plan, isResumed: true },
    ])

    const alone = await day()
    machine.export(source.rows)
    await machine.stop()
    const away = await machine.run()
    await machine.restart(['--rate-limit', '200/1s'])
    await morning('night 3, the server is away', alone, [{ exit: away, wanted: 9 }])

    await plainNight('night 4')

    const full = await day()
    machine.export(source.rows)
    const runs: NightRun[] = CAN_MOUNT ? [{ exit: await machine.run({ isDiskFull: true }), wanted: 13 }] : []
    if (!CAN_MOUNT) print('night 5: no full disk, for nothing may be mounted here')
    if (CAN_MOUNT) faults.push(...halfwayFaults(full, full, await machine.contacts()))
    const spaced = imported(full, source.rows)
    await morning('night 5, the disk is full, then not', spaced.expected, [
      ...runs,
      { exit: await machine.run(), wanted: 0, plan: spaced.plan },
    ])

    const broken = await day()
    machine.export([])
    const headerOnly = { exit: await machine.run(), wanted: 0, plan: { create: 0, update: 0, unchanged: 0 } } as const
    machine.truncate()
    const empty = { exit: await machine.run(), wanted: 2 } as const
    machine.export(source.rows.map((row) => ({ ...row, company: row.phone })))
    const shifted = { exit: await machine.run(), wanted: 11 } as const
    await morning('night 6, the export is broken', broken, [headerOnly, empty, shifted])

    await plainNight('night 7')
    const last = byEmail(await machine.contacts())
    const { expected, plan } = imported(last, source.rows)
    await morning('once more', expected, [{ exit: await machine.run(), wanted: 0, plan }])
    if (plan.unchanged !== source.rows.length) faults.push(`after the week ${JSON.stringify(plan)}`)
    return { faults, met, isDiskSkipped: !CAN_MOUNT }
  } finally {
    await machine.end()
  }
}

function byEmail(contacts: readonly Contact[]): ReadonlyMap<string, Contact> {
  return new Map(contacts.map((contact) => [contact.email, contact]))
}
