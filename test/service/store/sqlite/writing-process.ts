import { openStore } from '../../../../src/service/store/open-store.ts'
import type { StoreWrite } from '../../../../src/service/store/store.ts'
import { created, creation } from '../samples.ts'

/** Writes contacts with events, many at a time, and prints the id of each once it was acknowledged. */
const [, , file = '', count = 'Infinity'] = process.argv
const store = await openStore({ address: file, now: Date.now })
let left = Number(count)

function contactWithEvent(): StoreWrite {
  return creation(
    'contact',
    {},
    {
      decide: (state) => ({ ...created(state), event: { kind: 'contact.created', text: state.id } }),
    },
  )
}

async function writeOn(): Promise<void> {
  while (left-- > 0) {
    const result = await store.write(contactWithEvent())
    if (result.type === 'done') process.stdout.write(`${JSON.parse(result.answer.body).id}\n`)
  }
}

await Promise.all(Array.from({ length: 16 }, writeOn))
await store.close()
