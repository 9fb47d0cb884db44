import { type KeptChange, openKeptChanges } from '../../src/settings/kept-changes.ts'

/** A process that holds the change with the given id, or takes kept changes and prints them; it runs until killed. */
const [folder = '', server = '', id] = process.argv.slice(2)
const changes = openKeptChanges({ CRM_STATE_HOME: folder }, server)
const one = (): KeptChange => ({ list: 'contacts', id: id ?? '', patch: { company: 'New' }, before: {} })
if (id !== undefined) changes.hold([one()])
const taken = id === undefined ? (await changes.take()).changes : []
process.stdout.write(`${JSON.stringify(taken.map((change) => change.id))}\n`)
setTimeout(() => {}, 60_000)
