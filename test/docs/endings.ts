/** Lines that are not run, with the reason. `page` may be the beginning of several. test/command-lines.test.ts still checks their commands and flags. */
export const NOT_RUN: readonly { readonly page: string; readonly line: string; readonly why: string }[] = [
  {
    page: 'docs/admins.md',
    line: 'contacts import messy-leads.csv --match email --encoding',
    why: 'minutes at the default limit; test/commands/jobs/messy-file.test.ts runs it without',
  },
  { page: 'docs/admins.md', line: 'contacts merge', why: 'contacts that are one person, of which this test has none' },
  ...['crm users list', 'crm reassign'].map((line) => ({
    page: 'docs/admins.md',
    line,
    why: 'users, of a server of others: test/connectors/leaver.test.ts',
  })),
  ...['sandbox start --foreground --host', 'CRM_INSECURE_HTTP=1 crm'].map((line) => ({
    page: 'docs/ci.md',
    line,
    why: 'two containers: test/e2e/ci-files.test.ts runs both in a network of their own',
  })),
  { page: 'docs/connectors/', line: 'auth login', why: 'a server of others' },
  ...['express.mjs', 'handler.py', 'hour.csv'].map((line) => ({
    page: 'docs/developers.md',
    line,
    why: 'four programs at a time: test/e2e/developers-hour.test.ts runs them, and all lines of that hour',
  })),
  { page: 'docs/operation.md', line: 'serve copy', why: 'a database of PostgreSQL' },
  { page: 'docs/scale.md', line: 'auth login', why: 'a key that is typed' },
  { page: 'docs/signing-in.md', line: 'auth login', why: 'a server of others' },
  { page: 'docs/webhooks.md', line: 'cloudflared tunnel', why: 'a tunnel is a service of others' },
  { page: 'docs/webhooks.md', line: 'ngrok http', why: 'a tunnel is a service of others' },
]

/** Lines whose samples are from another machine, server or person: they are run, but their output is not compared. */
export const SHOWN_ELSEWHERE: readonly { readonly page: string; readonly line: string; readonly why: string }[] = [
  { page: 'docs/bulk.md', line: 'jobs undo fx3yg --dry-run', why: 'somebody changed a record since' },
  { page: 'docs/keys.md', line: 'auth status', why: 'a system keyring' },
  { page: 'docs/keys.md', line: 'auth login', why: 'a key that is taken, and no keyring' },
  { page: 'docs/keys.md', line: 'contacts list -p prod', why: 'a password store' },
  { page: 'docs/packaging.md', line: 'crm contacts list', why: 'an older Node' },
]

/** A line with an exit code other than 0, as its page states, or because there is no terminal here. */
export interface Ending {
  readonly page: string
  /** A part of the line. */
  readonly line: string
  /** The exit codes of the first and the second time that it is typed. */
  readonly exits: readonly number[]
  /** A change that the reader has made to a file before. */
  readonly edits?: readonly (Readonly<Record<string, string>> | undefined)[]
}

/** examples/leads.csv, corrected. */
function leads(company: string): string {
  const lines = [
    'Name;E-Mail;Phone;Comapny;Score',
    'Ada Lovelace;ada@example.test;0044 20 7946 0958;Analytical Engines;7',
    '"Müller; Grace";grace@example.test;+49 151 2345;Compilers GmbH;9.5',
    `Alan Turing;alan@example.test;;${company};8`,
    'Katherine Johnson;katherine@example.test;+1 555 0100;NASA;10',
  ]
  return `\ufeff${lines.map((line) => `${line}\r\n`).join('')}`
}

export const ENDINGS: readonly Ending[] = [
  { page: 'README.md', line: 'contacts import leads.csv --match email', exits: [2] },
  { page: 'docs/admins.md', line: 'auth login', exits: [4] },
  { page: 'docs/admins.md', line: 'contacts delete con_0', exits: [11] },
  { page: 'docs/admins.md', line: 'contacts import leads.csv --match email', exits: [2] },
  {
    page: 'docs/admins.md',
    line: 'contacts import leads.csv --map',
    exits: [2, 0, 0, 11],
    edits: [undefined, { 'leads.csv': leads('Bletchley') }, undefined, { 'leads.csv': leads('Bletchley Park') }],
  },
  { page: 'docs/admins.md', line: 'contacts import messy-leads.csv', exits: [2] },
  { page: 'docs/bulk.md', line: 'deals import deals.csv', exits: [3] },
  { page: 'docs/keys.md', line: 'auth login', exits: [4] },
  { page: 'docs/keys.md', line: 'contacts list -p prod', exits: [4] },
  { page: 'docs/output.md', line: 'fixtures plan demo.yaml --exit-code', exits: [10] },
  { page: 'docs/servers.md', line: 'connectors create', exits: [4] },
  {
    page: 'docs/servers.md',
    line: 'auth login',
    exits: [4, 4],
    edits: [undefined, { 'theirs.yaml': 'connector: 2\nname: theirs\nextends: crm\n' }],
  },
  { page: 'docs/servers.md', line: 'connectors check --write', exits: [11] },
  { page: 'docs/webhooks.md', line: '--tui', exits: [2] },
  { page: 'docs/webhooks.md', line: '--count 3', exits: [12] },
  // Each listener before it was at a port of its own, and so has a subscription.
  { page: 'docs/webhooks.md', line: 'crm webhooks secret', exits: [2] },
  // The newest subscription is younger than the event.
  { page: 'docs/webhooks.md', line: 'crm webhooks resend', exits: [6] },
]
