import type { AddCommand, CommandGroup, Commands } from './command-tree.ts'

type Load = () => Promise<AddCommand | CommandGroup>

/** A line for each, in the order in which help shows them. The code of one is loaded when a command line names it. */
const COMMANDS: Readonly<Record<string, Load>> = {
  contacts: async () => (await import('./contacts.ts')).CONTACTS_COMMANDS,
  deals: async () => (await import('./deals/deals.ts')).DEALS_COMMANDS,
  notes: async () => (await import('./notes.ts')).NOTES_COMMANDS,
  pipelines: async () => (await import('./pipelines.ts')).PIPELINES_COMMANDS,
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

/** The command that `words` begin with, or all commands if there is no such one. */
export async function loadCommands([word = '']: readonly string[]): Promise<Commands> {
  const names = Object.hasOwn(COMMANDS, word) ? [word] : Object.keys(COMMANDS)
  const loaded = await Promise.all(names.map(async (name) => [name, await COMMANDS[name]?.()] as const))
  return Object.fromEntries(loaded.flatMap(([name, command]) => (command === undefined ? [] : [[name, command]])))
}
