/** Lines that are not run, and why: their commands and flags are checked in test/command-lines.test.ts all the same. */
export const NOT_RUN: readonly { readonly page: string; readonly line: string; readonly why: string }[] = [
  { page: 'docs/webhooks.md', line: 'cloudflared tunnel', why: 'a tunnel is a service of others' },
  { page: 'docs/webhooks.md', line: 'ngrok http', why: 'a tunnel is a service of others' },
]

/** A line that ends otherwise than with 0, as its page says, or because nobody sits at a terminal here. */
export interface Ending {
  readonly page: string
  /** What the line holds. */
  readonly line: string
  /** Of the first time that it is typed, of the second. */
  readonly exits: readonly number[]
  /** What the reader has done to a file before. */
  readonly edits?: readonly (Readonly<Record<string, string>> | undefined)[]
}

const HEADS = 'Name;E-Mail;Phone;Comapny;Score\n'

export const ENDINGS: readonly Ending[] = [
  { page: 'README.md', line: 'contacts import leads.csv --match email', exits: [2] },
  { page: 'README.md', line: 'contacts delete con_0', exits: [11] },
  { page: 'docs/admins.md', line: 'auth login', exits: [4] },
  { page: 'docs/admins.md', line: 'contacts delete con_0', exits: [11] },
  { page: 'docs/admins.md', line: 'contacts import leads.csv --match email', exits: [2] },
  {
    page: 'docs/admins.md',
    line: 'contacts import leads.csv --map',
    exits: [2, 0, 0, 11],
    edits: [
      undefined,
      { 'leads.csv': `${HEADS}Ada;ada@example.test;1;Engines;7\nAlan;alan@example.test;2;Bletchley;8\n` },
      undefined,
      { 'leads.csv': `${HEADS}Ada;ada@example.test;1;Engines;9\nAlan;alan@example.test;2;Bletchley;8\n` },
    ],
  },
  { page: 'docs/bulk.md', line: 'deals import deals.csv', exits: [3] },
  { page: 'docs/keys.md', line: 'auth login', exits: [4] },
  { page: 'docs/keys.md', line: 'contacts list -p prod', exits: [4] },
  { page: 'docs/servers.md', line: 'auth login', exits: [4] },
  { page: 'docs/webhooks.md', line: '--tui', exits: [2] },
  { page: 'docs/webhooks.md', line: '--count 3', exits: [12] },
]
