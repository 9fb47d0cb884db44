/** A change of one line that takes a rule away, and the tests that must fail with it. */
export interface Sabotage {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly tests: readonly string[]
}

export const SABOTAGES: readonly Sabotage[] = [
  {
    name: 'the timer of a deletion that was taken back is not cleared',
    file: 'src/ui/work/deletions.ts',
    from: '    clearTimeout(each.timer)\n    waiting = ',
    to: '    waiting = ',
    tests: ['test/ui/deletions.test.ts'],
  },
  {
    name: 'an edit of a deal that was refused is forgotten',
    file: 'src/ui/work/commit.ts',
    from: '        const name = nameOf(edit.row)\n        notices.problem(error, ',
    to: "        forget('deals', edit)\n        const name = nameOf(edit.row)\n        notices.problem(error, ",
    tests: ['test/ui/commit.test.ts'],
  },
  {
    name: 'a value that is there already is an edit',
    file: 'src/ui/work/staging.ts',
    from: '    if (JSON.stringify(row[name] ?? null) === JSON.stringify(value)) delete patch[name]\n',
    to: '',
    tests: ['test/ui/staging.test.ts'],
  },
  {
    name: 'an event is acknowledged before it is on disk',
    file: 'src/webhooks/log/event-log.ts',
    from: '    await segment.file.datasync()\n',
    to: '',
    tests: ['test/webhooks/log/event-log.test.ts'],
  },
  {
    name: 'the journal goes on after a write that failed',
    file: 'src/jobs/journal/journal.ts',
    from: '    if (this.#failure !== undefined) throw this.#failure\n',
    to: '',
    tests: ['test/jobs/journal/synced-writes.test.ts'],
  },
  {
    name: 'the cut of a torn tail is not synced',
    file: 'src/jobs/journal/journal.ts',
    from: '    fdatasyncSync(this.#file)\n',
    to: '',
    tests: ['test/jobs/journal/synced-writes.test.ts'],
  },
  {
    name: 'a lease is not on disk when its requests are sent',
    file: 'src/jobs/send/leases.ts',
    from: '    await this.#journal.sync()\n',
    to: '    void this.#journal.sync()\n',
    tests: ['test/jobs/journal/synced-writes.test.ts'],
  },
  {
    name: 'a resume ignores the window that the lease was given',
    file: 'src/jobs/run/resume-tasks.ts',
    from: 'Math.min(terms.windowMs, lease.window)',
    to: 'terms.windowMs',
    tests: ['test/jobs/resume-window.test.ts'],
  },
  {
    name: 'an account that does not add up is printed',
    file: 'src/jobs/run/account.ts',
    from: 'if (sum !== rows) throw',
    to: 'if (sum === -1) throw',
    tests: ['test/jobs/account.test.ts'],
  },
  {
    name: 'the key of an operation is not made of its account',
    file: 'src/jobs/digest.ts',
    from: '\\0${account}\\0${run}',
    to: '\\0${run}',
    tests: ['test/jobs/account.test.ts'],
  },
  {
    name: 'a rate that was felt is not shared by processes',
    file: 'src/jobs/send/presence.ts',
    from: '      feltPerSecond ??= readFelt(path)\n',
    to: '',
    tests: ['test/jobs/send/presence.test.ts'],
  },
  {
    name: 'a page size that is the default of a variable costs nothing',
    file: 'src/service/graphql/cost.ts',
    from: 'return { ...Object.fromEntries(defaults), ...sent }',
    to: 'return { ...Object.fromEntries(defaults.slice(0, 0)), ...sent }',
    tests: ['test/service/graphql/hostile.test.ts'],
  },
  {
    name: 'a lock whose number another process has is held for ever',
    file: 'src/files/lock.ts',
    from: 'return Boolean(mark) && processMark(pid) !== mark',
    to: 'return Boolean(mark) && processMark(pid) === ""',
    tests: ['test/files/lock.test.ts'],
  },
  {
    name: 'a signing secret that crm was never given is shown',
    file: 'src/core/redact.ts',
    from: '|whsec_[a-z0-9+/=_-]{8,}',
    to: '',
    tests: ['test/core/redact.test.ts'],
  },
  {
    name: 'a secret whose key is empty verifies',
    file: 'src/webhooks/standard.ts',
    from: 'return key.length === 0 ? undefined : key',
    to: 'return key',
    tests: ['test/webhooks/verify.test.ts'],
  },
  {
    name: '--env-out github writes through a link',
    file: 'src/fixtures/write-env.ts',
    from: ' | constants.O_NOFOLLOW',
    to: '',
    tests: ['test/fixtures/write-env.test.ts'],
  },
]
