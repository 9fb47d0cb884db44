export interface Account {
  readonly rows: number
  readonly done: number
  readonly unchanged: number
  readonly skipped: number
  readonly failed: number
  readonly in_doubt: number
  readonly unsent: number
}

const PARTS = ['done', 'unchanged', 'skipped', 'failed', 'in_doubt', 'unsent'] as const

/** What is wrong with an account; undefined when it adds up. */
export function accountFault(account: Account): string | undefined {
  const sum = PARTS.reduce((total, part) => total + account[part], 0)
  if (sum === account.rows) return undefined
  return `the account does not add up: ${PARTS.map((part) => `${account[part]} ${part}`).join(' + ')} is not ${account.rows}`
}

interface Where {
  readonly url: string
  readonly key: string
}

/** How often each email is on the service: every page of the list, past the proxy. */
export async function emailsOn({ url, key }: Where): Promise<Map<string, number>> {
  const emails = new Map<string, number>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const path: string = `/v1/contacts?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}`)
    const page = (await answer.json()) as { data: { email: string }[]; next_cursor: string | null }
    for (const { email } of page.data) emails.set(email, (emails.get(email) ?? 0) + 1)
    cursor = page.next_cursor
  }
  return emails
}

export interface Difference {
  readonly duplicates: number
  readonly lost: number
}

type Counts = ReadonlyMap<string, number>

/** What is there once too often, and what is not there although the account says so; what is in doubt may be either. */
export function compareEmails(wanted: Counts, found: Counts, doubts: Counts): Difference {
  let [duplicates, lost] = [0, 0]
  for (const [email, count] of wanted) lost += Math.max(0, count - (doubts.get(email) ?? 0) - (found.get(email) ?? 0))
  for (const [email, count] of found) duplicates += Math.max(0, count - (wanted.get(email) ?? 0))
  return { duplicates, lost }
}
