// Parse Server on the PostgreSQL of argv[4], with the contacts of argv[3]; its packages are in the node_modules of argv[2].
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const from = createRequire(process.argv[2])
const { ParseServer } = from('parse-server')
const app = from('express')()

const [, , , contacts, databaseURI] = process.argv
const appId = 'family-key-1'
const listener = createServer(app)
await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve))
const serverURL = `http://127.0.0.1:${listener.address().port}/parse`
const text = { type: 'String' }
const server = new ParseServer({
  ...{ appId, masterKey: appId, serverURL, databaseURI, silent: true, logsFolder: null },
  allowClientClassCreation: true,
  enableInsecureAuthAdapters: false,
  schema: {
    definitions: [
      { className: 'Contact', fields: { name: text, email: text, phone: text, company: text, owner: text } },
      { className: 'Deal', fields: { name: text, stage: text, owner: text, amount: { type: 'Number' } } },
      { className: 'Note', fields: { deal: text, body: text, author: text } },
      { className: 'Company', fields: { name: { ...text, required: true }, domain: text } },
      {
        className: 'Machine',
        fields: {
          ...{ serial: { ...text, required: true }, hours: { type: 'Number' }, broken: { type: 'Boolean' } },
          ...{ built: { type: 'Date' }, company: { type: 'Pointer', targetClass: 'Company' } },
        },
      },
    ].map((each) => ({
      ...each,
      classLevelPermissions: Object.fromEntries(
        ['find', 'count', 'get', 'create', 'update', 'delete', 'addField'].map((verb) => [verb, { '*': true }]),
      ),
    })),
  },
})
await server.start()
app.use('/parse', server.app)

const headers = { 'X-Parse-Application-Id': appId, 'Content-Type': 'application/json' }
const seeds = JSON.parse(readFileSync(contacts, 'utf8'))
const AT_ONCE = 20
for (let at = 0; at < seeds.length; at += AT_ONCE) {
  const made = seeds.slice(at, at + AT_ONCE).map(async (seed) => {
    const answer = await fetch(`${serverURL}/classes/Contact`, { method: 'POST', headers, body: JSON.stringify(seed) })
    if (!answer.ok) throw new Error(`a contact is refused: ${await answer.text()}`)
  })
  await Promise.all(made)
}
console.log(new URL(serverURL).origin)
