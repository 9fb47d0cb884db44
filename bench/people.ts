import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** A CSV of contacts without commas in cells, so that a loop that splits lines can read it. */
export async function writePeople(file: string, count: number, company = 'Company'): Promise<void> {
  const out = createWriteStream(file)
  out.write('email,name,phone,company\n')
  for (let start = 0; start < count; start += 1000) {
    let text = ''
    for (let number = start; number < Math.min(count, start + 1000); number++) text += personLine(number, company)
    if (!out.write(text)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}

/** The contact that `fillContacts` makes of this number, with another company. */
function personLine(number: number, company: string): string {
  return `c${number}@example.test,Contact ${number},+49 151 ${number},${company} ${number % 977}\n`
}
