// An OData 4 service in memory, of odata-v4-server in the node_modules of argv[2]; argv[3] holds the contacts at the start.
const { randomUUID } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { createServer } = require('node:http')
const { createRequire } = require('node:module')

const from = createRequire(process.argv[2])
const express = from('express')
const { Edm, ODataController, ODataServer, odata, ResourceNotFoundError } = from('odata-v4-server')

const TEXTS = {
  Contacts: ['Name', 'Email', 'Phone', 'Company', 'OwnerID'],
  Deals: ['Name', 'Stage', 'OwnerID'],
  Notes: ['DealID', 'Body', 'AuthorID'],
  Machines: ['Serial'],
}
const NUMBERS = { Deals: ['Amount'] }
const TIMES = ['CreatedAt', 'ModifiedAt']

/** What a decorator in TypeScript does. */
function decorate(target, name, ...decorators) {
  for (const decorator of decorators) decorator(target, name, Object.getOwnPropertyDescriptor(target, name))
}

function entityOf(set) {
  const Entity = { [set]: class {} }[set]
  decorate(Entity.prototype, 'ID', Edm.Key, Edm.Guid)
  for (const name of TEXTS[set]) decorate(Entity.prototype, name, Edm.String)
  for (const name of NUMBERS[set] ?? []) decorate(Entity.prototype, name, Edm.Double)
  for (const name of TIMES) decorate(Entity.prototype, name, Edm.DateTimeOffset)
  return Entity
}

function controllerOf(set, rows) {
  const found = (key) => {
    const row = rows.find(({ ID }) => ID === key)
    if (!row) throw new ResourceNotFoundError()
    return row
  }
  const Controller = {
    [`${set}Controller`]: class extends ODataController {
      list(query) {
        const asked = new URLSearchParams(query?.raw ?? '')
        const [skip, top] = [Number(asked.get('$skip') ?? 0), Number(asked.get('$top') ?? rows.length)]
        const page = rows.slice(skip, skip + top)
        if (asked.get('$count') === 'true') page.inlinecount = rows.length
        return page
      }
      show(key) {
        return found(key)
      }
      insert(body) {
        const now = new Date().toISOString()
        const row = { ...body, ID: randomUUID(), CreatedAt: now, ModifiedAt: now }
        rows.push(row)
        return row
      }
      change(key, body) {
        Object.assign(found(key), body, { ModifiedAt: new Date().toISOString() })
      }
      remove(key) {
        rows.splice(rows.indexOf(found(key)), 1)
      }
    },
  }[`${set}Controller`]
  const { prototype } = Controller
  decorate(prototype, 'list', odata.GET)
  odata.query(prototype, 'list', 0)
  for (const [name, method] of [
    ['show', odata.GET],
    ['change', odata.PATCH],
    ['remove', odata.DELETE],
  ]) {
    decorate(prototype, name, method)
    odata.key(prototype, name, 0)
  }
  odata.body(prototype, 'change', 1)
  decorate(prototype, 'insert', odata.POST)
  odata.body(prototype, 'insert', 0)
  odata.type(entityOf(set))(Controller)
  return Controller
}

const contacts = JSON.parse(readFileSync(process.argv[3], 'utf8'))
const began = '2026-01-01T00:00:00.000Z'
const seeds = contacts.map(({ name, email }) => ({
  ID: randomUUID(),
  Name: name,
  Email: email,
  CreatedAt: began,
  ModifiedAt: began,
}))
class Service extends ODataServer {}
for (const set of Object.keys(TEXTS)) odata.controller(controllerOf(set, set === 'Contacts' ? seeds : []), set)(Service)

const server = createServer(express().use('/odata', Service.create()))
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
