import { parse } from 'csv-parse/sync'

/** One row in this many stands twice in the file: two records, both wanted. */
const ONE_TWIN_IN = 4

/** A CSV of contacts, some of them twice, one column with what makes CSV hard. */
export function peopleCsv(count: number, batch: number): string {
  const lines = ['email,name,company']
  for (let number = 0; number < count; number++) lines.push(personLine(number, batch))
  return `${lines.join('\r\n')}\r\n`
}

function personLine(number: number, batch: number): string {
  const person = number % ONE_TWIN_IN === 1 ? number - 1 : number
  return `p${person}.b${batch}@example.test,Person ${person},"Rows, ""quoted""\nand split ${person}"`
}

/** How often each email must be on the service in the end. */
export function expectedEmails(count: number, batch: number): Map<string, number> {
  const emails = new Map<string, number>()
  for (let number = 0; number < count; number++) {
    const [email = ''] = personLine(number, batch).split(',', 1)
    emails.set(email, (emails.get(email) ?? 0) + 1)
  }
  return emails
}

/** Of the rows of such a file, in their order, whatever columns stand before them. */
export function emailsIn(csv: string): string[] {
  const rows: { email: string }[] = parse(csv, { columns: true })
  return rows.map(({ email }) => email)
}
