import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import fortune from 'fortune'
import listener from 'fortune-http'
import jsonApi from 'fortune-json-api'

// A JSON:API server with the contacts of a file, which prints its address.

const CONTACT = { name: String, email: String, phone: String, company: String, owner_id: String }

const store = fortune(
  {
    contacts: { ...CONTACT, created_at: Date, updated_at: Date },
    deals: { name: String, amount: Number, stage: String, notes: [Array('notes'), 'deal'] },
    notes: { body: String, author_id: String, deal: ['deals', 'notes'] },
  },
  // Else it forgets all but the last 1,000.
  { adapter: [fortune.adapters.memory, { recordsPerType: 0 }] },
)

const contacts = JSON.parse(readFileSync(process.argv[2], 'utf8'))
if (contacts.length > 0) await store.create('contacts', contacts)

const options = { inflectType: false, inflectKeys: false, maxLimit: 500 }
const handle = listener(store, { serializers: [[jsonApi, options]] })
// Its promise rejects for each refusal, which the client has been sent.
const server = createServer((request, response) => void handle(request, response).catch(() => undefined))
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
