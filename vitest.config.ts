import { existsSync, globSync, readFileSync, statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { isSqliteOnly } from './test/sqlite-only.ts'
import { SummaryReporter } from './test/summary-reporter.ts'

/** They replace or change a module, which other files of the same worker would see. */
const REPLACING = [
  'test/connectors/{admin-cases,associations,attio-objects,companies,fixtures-links,merge-references,migrate-links,named-members,notes,zoho}.test.ts',
  'test/core/define-objects.test.ts',
  'test/fixtures/write-env.test.ts',
  'test/jobs/journal/synced-writes.test.ts',
  'test/library/own-objects.test.ts',
]

/**
 * They start the built crm, mostly to kill it, to put a terminal around it or to look at what it loads; or other processes
 * that compete for a file; or they read what the build wrote.
 */
const PROCESSES = [
  'test/e2e/**/*.test.ts',
  'test/torture/**/*.test.ts',
  'test/files/lock.test.ts',
  'test/output/prompt-process.test.ts',
  'test/scripts/shipped-packages.test.ts',
  'test/service/store/sqlite/{database-file,processes}.test.ts',
  'test/settings/{concurrent-writes,kept-changes,reads-are-light}.test.ts',
]

/** They put a real terminal (tmux) around the built crm. `npm run test:terminal`. */
const TERMINAL = ['test/e2e/{browse,browse-*,formats-terminal,listen-tui,oauth-terminal,terminal}.test.ts']

/** They take longest: kills, disks that fill up, every line of the docs, other programs. `npm run test:slow`. */
const SLOW = [
  'test/e2e/{torture,kill,docs,library,example-app,keyring,standalone,completion-shells,debugger-port,marked-key,added-resource,added-screen,every-command}.test.ts',
  // Kills and closed terminals, servers of others, and limits under load.
  'test/e2e/{earlier,repeated-kills}.test.ts',
  'test/nights/week.test.ts',
  'test/e2e/doctor/foreign-servers.test.ts',
  'test/api/pacing.test.ts',
  'test/e2e/jobs/{small-disk,again-kills,merge-kills,migrate-kills,killed-rejects}.test.ts',
  'test/connectors/{kills,merge-kills,note-kills,families/kills}.test.ts',
  'test/probe/drafts-killed.test.ts',
  'test/e2e/oauth-{kills,marked}.test.ts',
  'test/service/{siege,real-disk,locked-database,staged-close}.test.ts',
  // They wait for real seconds.
  'test/jobs/resume-quiet.test.ts',
  'test/e2e/{developers-hour,webhooks-wait,fixtures-lost-answers,fixtures-team,sandbox-start,ci-files}.test.ts',
]

/** Files of five seconds and more: many starts, large files, receivers and sandboxes. `npm run test:slow`. */
const LONG = [
  'test/commands/{jobs/messy-file,fixtures-team,graphql-commands,migrate,misspelt-members,profiles}.test.ts',
  'test/oauth/*.test.ts',
  'test/{connectors/association-kills,connectors/exported,connectors/leaver,files/lock,judges/{judges,discovered},probe/judges,output/prompt-process,torture/disk}.test.ts',
  'test/service/store/sqlite/database-file.test.ts',
  'test/e2e/{api,export,serve,fixtures,foreign-tls,left-reader,lost-output,modules,pipes,private-files,sandbox,torture-flags,vendor-mocks}.test.ts',
  'test/e2e/{completion,endless-expressions,help,no-account,formats-files,formats-expressions,hand-over,own-nouns,serve-objects,serve-signals}.test.ts',
  'test/e2e/doctor/{service,unreachable}.test.ts',
  'test/e2e/{listen,listen-forwarding,listen-log,serve-backups,serve-notify,webhooks-events,webhooks-trigger}.test.ts',
  'test/e2e/jobs/{cancelled,deals-update,hindrances,plan,in-doubt,reassign,reference-columns,two-upserts,undo-chain}.test.ts',
]

/**
 * Every shape of a foreign server, of which `test/foreign/sample.test.ts` has some of each kind, and what random programs
 * give in jq. `npm run test:conformance`.
 */
const CONFORMANCE = [
  'test/foreign/{lists-counts,lists-cursors,lists-whole,commands}.test.ts',
  'test/expr/real-jq.test.ts',
  'test/probe/growth.test.ts',
  // Of a model of the protocol, which no source file can break.
  'test/jobs/crash-model/crash-model.test.ts',
]

/** Thousands of records through each shipped connector, to emulators and to real servers. `npm run test:connectors`. */
const CONNECTORS = [
  'test/connectors/{contract,bulk,in-order-bulk,attio-bulk,zoho-bulk}.test.ts',
  'test/connectors/families/families.test.ts',
]

/** The client libraries of other languages, and the suite that all of them pass. `npm run test:clients`. */
const CLIENTS = ['test/clients/{conformance,go,planted-faults,python,ruby,sandbox}.test.ts']

/** Of PostgreSQL alone. The project starts a real one, of Debian's package `postgresql`. `npm run test:postgres`. */
const POSTGRES = ['test/service/store/postgres/**/*.test.ts']

/** What gives a test a database, or a service with one. */
const GIVES_DATABASE =
  /\/(harness\/database|harness\/service|shared-service|service|serve-for-test|deliver-for-test|ask|scrape|contacts-with-jobs|fixtures-machines|store-suite)\.ts'/

/** They run on both databases. */
const ON_BOTH = globSync('test/{service,commands,e2e,ui,api,jobs}/**/*.test.ts', { cwd: import.meta.dirname }).filter(
  (file) => !isSqliteOnly(file) && GIVES_DATABASE.test(readFileSync(new URL(file, import.meta.url), 'utf8')),
)

/** They take a sample of their cases, except in the conformance run. */
const SAMPLED = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
  readFileSync(new URL(file, import.meta.url), 'utf8').includes("harness/sample.ts'"),
)

/** As in `npm run sabotage`, which runs each file once. */
const TAKES_ALL = process.env.CRM_TEST_CASES === 'all'

/** What runs each project, for the end of a run that leaves some out. */
const SCRIPTS = {
  quick: 'npm run test:quick',
  alone: 'npm run test:quick',
  processes: 'npm test',
  terminal: 'npm run test:terminal',
  conformance: 'npm run test:conformance',
  connectors: 'npm run test:connectors',
  clients: 'npm run test:clients',
  slow: 'npm run test:slow',
  postgres: 'npm run test:postgres',
}

/** Where the system keeps files in memory. */
const MEMORY = '/dev/shm'
const ROOM_BYTES = 2 ** 31

/** Folders of tests are there, where it has the room: what a disk adds to a claim is for test:slow. */
function quickFolder(): { TMPDIR?: string } {
  if (!existsSync(MEMORY)) return {}
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize < ROOM_BYTES ? {} : { TMPDIR: MEMORY }
}

const env = quickFolder()

const shared = {
  // A claim fails by its assertion; this only ends a test that waits for ever.
  testTimeout: 120_000,
  // Of a second by default, in which a busy machine does not start a process.
  expect: { poll: { timeout: 10_000 } },
  pool: 'forks' as const,
  // Resolved by Node and by Vite, graphql would be two packages, which do not know each other's schemas.
  server: { deps: { inline: ['graphql', 'graphql-http'] } },
}

export default defineConfig({
  test: {
    // Else one less than there are cores, which is one of two. The third works while tests of the others wait for a timer.
    maxWorkers: 3,
    reporters: ['default', new SummaryReporter(SCRIPTS)],
    projects: [
      {
        test: {
          ...shared,
          name: 'quick',
          env,
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [
            ...REPLACING,
            ...PROCESSES,
            ...SLOW,
            ...LONG,
            ...CONFORMANCE,
            ...CONNECTORS,
            ...CLIENTS,
            ...POSTGRES,
          ],
          provide: { takesAll: TAKES_ALL },
        },
      },
      { test: { ...shared, name: 'alone', env, include: REPLACING } },
      {
        test: {
          ...shared,
          name: 'processes',
          env,
          isolate: false,
          include: PROCESSES,
          exclude: [...TERMINAL, ...SLOW, ...LONG],
        },
      },
      { test: { ...shared, name: 'terminal', env, isolate: false, include: TERMINAL } },
      {
        test: {
          ...shared,
          name: 'conformance',
          env,
          isolate: false,
          include: TAKES_ALL ? CONFORMANCE : [...CONFORMANCE, ...SAMPLED],
          provide: { takesAll: true },
        },
      },
      { test: { ...shared, name: 'connectors', env, isolate: false, include: CONNECTORS } },
      { test: { ...shared, name: 'clients', env, isolate: false, include: CLIENTS } },
      {
        test: {
          ...shared,
          name: 'postgres',
          env,
          isolate: false,
          include: [...ON_BOTH, ...POSTGRES],
          exclude: [...SLOW, ...CONFORMANCE],
          // Some kill PostgreSQL ten times.
          testTimeout: 300_000,
          provide: { takesAll: TAKES_ALL },
          globalSetup: 'test/harness/postgres/global-setup.ts',
        },
      },
      // Some measure times. Projects with other workers are groups of their own.
      {
        test: {
          ...shared,
          name: 'slow',
          include: [...SLOW, ...LONG],
          maxWorkers: 2,
          // Some start crm a hundred times or make many builds, which takes minutes where other work shares the machine.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
