import type { ResourceDefinition } from '../core/resources/field.ts'
import { RESOURCES, resourceNamed, resourceOf } from '../core/resources/registry.ts'
import type { AddCommand, CommandGroup, Commands } from './command-tree.ts'

type Load = () => Promise<AddCommand | CommandGroup>

/** A line for each, in the order in which help shows them. The code of one is loaded when a command line names it. */
const COMMANDS: Readonly<Record<string, Load>> = {
  contacts: async () => (await import('./contacts.ts')).CONTACTS_COMMANDS,
  companies: async () => (await import('./records/own.ts')).ownCommands(resourceOf('companies')),
  deals: async () => (await import('./deals/deals.ts')).DEALS_COMMANDS,
  notes: async () => (await import('./notes.ts')).NOTES_COMMANDS,
  tasks: async () => (await import('./records/own.ts')).ownCommands(resourceOf('tasks')),
  pipelines: async () => (await import('./pipelines.ts')).PIPELINES_COMMANDS,
  records: async () => (await import('./objects.ts')).addRecords,
  objects: async () => (await import('./objects.ts')).addObjects,
  fields: async () => (await import('./objects.ts')).addFields,
  report: async () => (await import('./report/report.ts')).REPORT_COMMANDS,
  plan: async () => (await import('./plan.ts')).PLAN_COMMANDS,
  apply: async () => (await import('./apply.ts')).addApply,
  jobs: async () => (await import('./jobs/jobs.ts')).JOBS_COMMANDS,
  history: async () => (await import('./history/history.ts')).addHistory,
  webhooks: async () => (await import('./webhooks/webhooks.ts')).WEBHOOKS_COMMANDS,
  listen: async () => (await import('./webhooks/listen.ts')).addListen,
  browse: async () => (await import('./browse/browse.ts')).addBrowse,
  api: async () => (await import('./api/api.ts')).addApi,
  graphql: async () => (await import('./graphql/graphql.ts')).addGraphql,
  fixtures: async () => (await import('./fixtures/fixtures.ts')).FIXTURES_COMMANDS,
  snapshot: async () => (await import('./snapshot.ts')).addSnapshot,
  diff: async () => (await import('./diff.ts')).addDiff,
  migrate: async () => (await import('./migrate/migrate.ts')).addMigrate,
  serve: async () => (await import('./serve/serve.ts')).addServe,
  sandbox: async () => (await import('./sandbox/sandbox.ts')).SANDBOX_COMMANDS,
  auth: async () => (await import('./auth/auth.ts')).AUTH_COMMANDS,
  config: async () => (await import('./config.ts')).CONFIG_COMMANDS,
  connectors: async () => (await import('./connectors/connectors.ts')).CONNECTORS_COMMANDS,
  schema: async () => (await import('./schema/schema.ts')).addSchema,
  doctor: async () => (await import('./doctor/doctor.ts')).addDoctor,
  completion: async () => (await import('./completion.ts')).addCompletion,
}

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS)

/** The command that `words` begin with, or all commands if there is no such one. */
export async function loadCommands([word = '', noun]: readonly string[]): Promise<Commands> {
  const own = ownNouns()
  if (word === 'records' && noun !== undefined && (Object.hasOwn(own, noun) || resourceNamed(noun))) {
    const group = await (own[noun] ?? COMMANDS[noun])?.()
    return group ? { records: { description: 'records of an object', commands: { [noun]: group } } } : {}
  }
  const all: Readonly<Record<string, Load>> = { ...own, ...COMMANDS }
  const names = Object.hasOwn(all, word) ? [word] : [...Object.keys(COMMANDS), ...Object.keys(own)]
  const loaded = await Promise.all(names.map(async (name) => [name, await all[name]?.()] as const))
  return Object.fromEntries(loaded.flatMap(([name, command]) => (command === undefined ? [] : [[name, command]])))
}

/** Those of the objects that users of the server described. */
function ownNouns(): Readonly<Record<string, Load>> {
  const own = Object.entries<ResourceDefinition>(RESOURCES).filter(([, { isOwn }]) => isOwn)
  return Object.fromEntries(
    own.map(([name, { plural }]) => [plural, async () => (await import('./records/own.ts')).ownCommands(name)]),
  )
}
