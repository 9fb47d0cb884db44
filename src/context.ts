import { resolve } from 'node:path'
import type { Api } from './api/api.ts'
import type { Finding } from './api/doctor/finding.ts'
import type { ProbeTarget } from './api/doctor/probe.ts'
import type { ApiOptions } from './api/options.ts'
import type { GlobalFlags } from './commands/global-flags.ts'
import type { Sighting } from './completion/known-file.ts'
import { CrmError } from './core/errors.ts'
import type { DescribedObjects } from './core/resources/own-objects.ts'
import { type CrmRecord, resourceNamed } from './core/resources/registry.ts'
import type { Env } from './core/streams.ts'
import type { Expressions } from './expr/expressions.ts'
import type { Host } from './host.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { SignInTokens } from './oauth/tokens.ts'
import { writeNoteLine } from './output/safe-text.ts'
import { readKeyFlag } from './settings/key-candidates.ts'
import type { RepositoryFile } from './settings/repository-file.ts'
import { openSettings, type Settings } from './settings/settings.ts'
import { type NamedConnector, requireConnector, resolveTarget, type Target } from './settings/target.ts'

type Exports = typeof import('./jobs/export/export-records.ts') &
  typeof import('./api/note-lists.ts') &
  typeof import('./jobs/input/input-file.ts')

export type ApiTarget = Pick<ApiOptions, 'baseUrl' | 'key' | 'tokens' | 'loginHint' | 'serveDatabase'> &
  Pick<Target, 'pageSize' | 'profileName'> & {
    readonly connector: NamedConnector
    /** What the server was found to have: it has no others. */
    readonly objects?: DescribedObjects
    /** The members of records to ask for; undefined: those that flags name. */
    readonly asked?: readonly string[]
  }

/** Messages for people, on stderr. */
interface Notes {
  /** A line for people, on stderr; `--quiet` drops it. */
  note(line: string): void
  /** Redirects notes, because text on stderr would corrupt a screen; undefined sends them to stderr again. */
  setNotes(write: ((line: string) => void) | undefined): void
}

interface Waits {
  /** Shows waits for the rate limit; false: as a note. Undefined: always as a note. */
  setWaits(show: ((waitMs: number, reason: string) => boolean) | undefined): void
  /** Requests wait for the rate limit. */
  waiting(waitMs: number, reason: string): void
}

/** What no output may show. */
interface Secrets {
  /** From now on this value is redacted. */
  addSecret(secret: string): void
  /** Foreign text without the secrets in use, and without what looks like one: for files that outlive the command. */
  redact(text: string): string
}

/** The records shown, for completion; stored if a profile and completion are in use. */
interface Sightings {
  seen(resource: Sighting['resource'], records: readonly CrmRecord[]): void
  gone(resource: Sighting['resource'], goneId: string): void
}

/** Where requests go. */
interface Targets {
  settings(): Promise<Settings>
  /** The `.crm.toml` that the working folder lies under. */
  repository(): Promise<RepositoryFile | undefined>
  /** Where requests go and with which key, by flags, environment and profile. */
  target(): Promise<Target>
  /** The tokens of a sign-in by OAuth; undefined: a key. */
  tokens(): Promise<SignInTokens | undefined>
  /** A context for another profile, as with `-p NAME`. The caller closes it. */
  withProfile(name: string): Context
}

/** Heavy modules, which are loaded on first use, so that a command loads only what it uses. */
interface Modules {
  /** `--where` and `--jq`, compiled; CrmError `usage` for what is no expression. */
  expr(): Promise<Expressions>
  /**
   * For the target of this command line, or for another one that is being tried. `signal` replaces the one of the command,
   * for requests after an interruption.
   */
  api(target?: ApiTarget, signal?: AbortSignal): Promise<Api>
  /** Checks what the server supports. Read-only; each request is sent once. */
  diagnose(
    server: Pick<ProbeTarget, 'baseUrl' | 'key'> & Pick<ApiTarget, 'connector' | 'pageSize' | 'profileName'>,
  ): Promise<readonly Finding[]>
  /** A list to a file. */
  exports(): Promise<Exports>
  /** Bulk work at the target of this command line. */
  jobs(): Promise<Jobs>
}

/** The argument of every command. Functions that a command calls take only the parts they use. */
export interface Context extends Host, Notes, Waits, Secrets, Sightings, Targets, Modules {
  readonly flags: GlobalFlags
  close(): Promise<void>
}

/**
 * Turns a command's work into what commander calls with the command's arguments: a context is made for it, closed after
 * it, and the exit code it returns is kept (none is success, any number that of a command which crm ran).
 */
export type Act = <A extends readonly unknown[]>(
  work: (ctx: Context, ...args: A) => Promise<number | undefined>,
) => (...args: A) => Promise<void>

export function createContext(
  host: Host,
  flags: GlobalFlags,
  repository: Context['repository'],
  secrets: Secrets,
): Context {
  const apis: Promise<Api>[] = []
  const ownApi = once(() => openApi(ctx, undefined))
  const kept: Sighting[] = []
  let target: Promise<Target> | undefined
  const notes = notesOf((line) => writeNoteLine(host.io.stderr, line), flags.isQuiet)
  const ctx: Context = {
    ...host,
    env: withConnectorFile(host),
    ...secrets,
    ...notes,
    ...waitsOf(notes.note),
    ...sightingsOf(kept),
    flags,
    repository,
    expr: once(() => openExpressions(ctx)),
    settings: once(() => openOwnSettings(ctx)),
    target: () => {
      target ??= openTarget(ctx)
      return target
    },
    tokens: once(() => openOwnTokens(ctx)),
    withProfile: (profile) => createContext(host, flagsWith(flags, profile), repository, secrets),
    api: (other, signal) => {
      const opening = other || signal ? openApi(ctx, other, signal) : ownApi()
      if (!apis.includes(opening)) apis.push(opening)
      return opening
    },
    diagnose: (server) => diagnoseServer(ctx, server),
    exports: async () => ({
      ...(await import('./jobs/export/export-records.ts')),
      ...(await import('./api/note-lists.ts')),
      ...(await import('./jobs/input/input-file.ts')),
    }),
    jobs: once(() => openBulk(ctx)),
    close: async () => {
      for (const outcome of await Promise.allSettled(apis)) {
        if (outcome.status === 'fulfilled') await outcome.value.close()
      }
      if (target && kept.length > 0) await keepSeen(host.env, await target, kept)
    },
  }
  return ctx
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined
  return () => {
    opened ??= open()
    return opened
  }
}

function notesOf(writeStderr: (line: string) => void, isQuiet: boolean): Notes {
  let write = writeStderr
  return {
    note: (line) => {
      if (!isQuiet) write(line)
    },
    setNotes: (other) => {
      write = other ?? writeStderr
    },
  }
}

/** So that the pages of a long list do not stay in memory. */
const MOST_SEEN = 100

function sightingsOf(kept: Sighting[]): Sightings {
  let seenCount = 0
  return {
    seen: (resource, records) => {
      if (seenCount < MOST_SEEN && records.length > 0) kept.push({ resource, records })
      seenCount += records.length
    },
    gone: (resource, goneId) => void kept.push({ resource, goneId }),
  }
}

/** A key on the command line belongs to the profile of the command line. */
function flagsWith(flags: GlobalFlags, profile: string): GlobalFlags {
  return { ...flags, profile, keyFile: undefined, isKeyOnStdin: false }
}

async function diagnoseServer(ctx: Context, server: Parameters<Context['diagnose']>[0]): Promise<readonly Finding[]> {
  const { diagnose } = await import('./api/doctor/diagnose.ts')
  if (server.key !== undefined) ctx.addSecret(server.key)
  const options = { ...clientOptions(ctx), maxWaitMs: ctx.flags.maxWaitMs, signal: ctx.signal }
  return diagnose({ ...server, ...(await openSpeech(ctx, server)), ...options })
}

function waitsOf(note: Notes['note']): Waits {
  let showWait: Parameters<Waits['setWaits']>[0]
  return {
    setWaits: (show) => {
      showWait = show
    },
    waiting: (waitMs, reason) => {
      if (!showWait?.(waitMs, reason)) note(`Waiting ${Math.ceil(waitMs / 1000)} s: ${reason}`)
    },
  }
}

async function openExpressions({ flags: { where, jq, whereErrors }, io, now }: Context): Promise<Expressions> {
  if (where === undefined && whereErrors !== 'stop') {
    throw new CrmError('usage', '--where-errors needs --where', {
      hint: 'leave it out, or name records with --where EXPR',
    })
  }
  if (where === undefined && jq === undefined) return { where: undefined, query: undefined, uses: () => [] }
  const { compileExpressions } = await import('./expr/expressions.ts')
  const say = (line: string) => writeNoteLine(io.stderr, line)
  return compileExpressions({ where, jq, whereErrors }, { say, nowMs: now() })
}

/** CRM_CONNECTOR that names a file of the working folder, as an absolute path. */
function withConnectorFile({ env, folder }: Host): Host['env'] {
  const { CRM_CONNECTOR: named } = env
  return named !== undefined && /^\.{1,2}\//.test(named) && folder !== undefined
    ? { ...env, CRM_CONNECTOR: resolve(folder, named) }
    : env
}

/** Profiles of an earlier version get their connectors once, before anything reads them. */
async function openOwnSettings({ env, keyringProgram, note }: Context): Promise<Settings> {
  const settings = openSettings(env, keyringProgram)
  // A file that cannot be read is reported by what needs it.
  const earlier = await settings.earlier().catch((error: unknown) => {
    if (error instanceof CrmError) return new Map<string, never>()
    throw error
  })
  if (earlier.size === 0) return settings
  const { describeEarlier } = await import('./commands/earlier-profiles.ts')
  return describeEarlier(settings, earlier, note)
}

async function openTarget(ctx: Context): Promise<Target> {
  const keyFromFlag = await readKeyFlag(ctx)
  const request = {
    env: ctx.env,
    profileFlag: ctx.flags.profile,
    keyFromFlag,
    repository: await ctx.repository(),
    addressOf: async (connector: NamedConnector) =>
      (await import('./api/connectors/open-connector.ts')).connectorAddress(connector),
    connectorNames: async () => (await import('./connector/shipped.ts')).shippedNames(),
    ask: async (question: string) => {
      const { askYesNo, canAsk } = await import('./output/prompt.ts')
      return canAsk(ctx) ? askYesNo(ctx.io, question, ctx.signal) : undefined
    },
  }
  const target = await resolveTarget(await ctx.settings(), request, ctx.note)
  if (!target.connector) return target
  const { connectorDocument, withBase } = await import('./api/connectors/open-connector.ts')
  return { ...target, baseUrl: withBase(target.baseUrl, await connectorDocument(target.connector)) }
}

/** The connector of a server, compiled, and what it says of the server as a whole. */
async function openSpeech(
  { env }: Pick<Context, 'env'>,
  target: Pick<ApiTarget, 'connector' | 'baseUrl' | 'pageSize' | 'profileName' | 'objects'>,
): Promise<Pick<ApiOptions, 'connector' | 'terms'>> {
  const { openConnector } = await import('./api/connectors/open-connector.ts')
  const { serverTerms } = await import('./api/server-terms.ts')
  const connector = await openConnector(target.connector, target)
  const { document } = connector
  const terms = serverTerms(document, target.profileName)
  if (document.drafted === undefined || typeof document.idempotency !== 'object') return { connector, terms }
  const { provenFor } = await import('./commands/connectors/proven.ts')
  const { readProven } = await import('./settings/proven.ts')
  const { idempotency } = await readProven(env, await provenFor(target))
  return { connector, terms: idempotency === undefined ? terms : { ...terms, idempotency: 'kept' } }
}

async function openApi(ctx: Context, other: ApiTarget | undefined, signal = ctx.signal): Promise<Api> {
  const { createApi } = await import('./api/client.ts')
  const target = other ?? (await apiTarget(ctx))
  const { baseUrl, key, tokens, loginHint, serveDatabase } = target
  ctx.addSecret(key)
  const options: ApiOptions = {
    ...{ baseUrl, key, tokens, loginHint, serveDatabase },
    ...(await openSpeech(ctx, target)),
    ...clientOptions(ctx),
    maxWaitMs: ctx.flags.maxWaitMs,
    signal,
    onWait: ctx.waiting,
    onReplay: (action) =>
      ctx.note(`An earlier request with this idempotency key did this; the server repeated its answer: ${action}`),
    onUnread: ({ done, reason }) => ctx.note(`Warning: ${done}, but it cannot be shown: ${reason}`),
    onNotice: async ({ host, text }) => {
      const { isFirstToday } = await import('./settings/notice-days.ts')
      if (await isFirstToday(ctx.env, host, ctx.now())) ctx.note(`Warning: ${text}`)
    },
  }
  options.connector.ask(
    target.asked ?? (await membersUsed(ctx)),
    ctx.argv.map(resourceNamed).find((resource) => resource !== undefined),
  )
  return createApi(options, ctx.timing)
}

/** The members that `--fields`, `--where` and `--jq` name. */
async function membersUsed(ctx: Context): Promise<readonly string[]> {
  const { uses } = await ctx.expr()
  const paths = [...(ctx.flags.fields ?? []), ...[...uses('record'), ...uses('list')].map(({ path }) => path)]
  return paths.flatMap(([name]) => name ?? [])
}

async function keepSeen(env: Env, { profileName, baseUrl }: Target, sightings: readonly Sighting[]): Promise<void> {
  if (profileName === undefined) return
  const { keepSightings } = await import('./completion/known-file.ts')
  await keepSightings(env, { profileName, baseUrl: baseUrl.href }, sightings)
}

async function openBulk(ctx: Context): Promise<Jobs> {
  const { openJobs } = await import('./jobs/jobs.ts')
  return openJobs({
    env: ctx.env,
    stdin: () => ctx.io.stdin,
    argv: ctx.argv,
    version: ctx.version,
    signal: ctx.signal,
    now: ctx.now,
    timing: ctx.timing,
    note: ctx.note,
    isTrial: ctx.flags.isDryRun,
    api: ctx.api,
    server: async () => {
      const { baseUrl, key, tokens, loginHint, serveDatabase } = await apiTarget(ctx)
      ctx.addSecret(key)
      return { baseUrl, key, tokens, loginHint, serveDatabase, ...clientOptions(ctx) }
    },
    requireProven: async (needed) => (await import('./commands/connectors/proven.ts')).requireProvenJob(ctx, needed),
  })
}

function clientOptions(ctx: Context) {
  return {
    timeoutMs: ctx.flags.timeoutMs,
    userAgent: `crm/${ctx.version}`,
    now: ctx.now,
    debug: ctx.flags.isDebug ? (line: string) => writeNoteLine(ctx.io.stderr, `debug: ${line}`) : undefined,
    env: ctx.env,
  }
}

/** CrmError `not_supported` for a server that no connector describes. */
async function apiTarget(ctx: Pick<Context, 'target' | 'tokens'>): Promise<ApiTarget> {
  const target = await ctx.target()
  return { ...target, key: target.key.value, tokens: await ctx.tokens(), connector: requireConnector(target) }
}

/** Of a profile that was signed in to by OAuth. */
async function openOwnTokens(ctx: Context): Promise<SignInTokens | undefined> {
  const { key, profileName, baseUrl } = await ctx.target()
  if (!key.login || profileName === undefined) return undefined
  const { openTokens } = await import('./oauth/tokens.ts')
  const { fetchThrough } = await import('./oauth/through-connections.ts')
  const { env, keyringProgram, now, note, addSecret, signal } = ctx
  return openTokens({
    ...{ login: key.login, profileName, origin: baseUrl.origin, now, note, addSecret },
    openSettings: () => openSettings(env, keyringProgram),
    fetch: fetchThrough({ timeoutMs: ctx.flags.timeoutMs, env, signal, addSecret }),
  })
}
