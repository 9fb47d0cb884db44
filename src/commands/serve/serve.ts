import { once } from 'node:events'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/http-rules.ts'
import { writeText } from '../../core/streams.ts'
import { reportError } from '../../output/report.ts'
import type { Tls } from '../../service/http-server.ts'
import type { Log } from '../../service/log.ts'
import type { RunningMetrics } from '../../service/metrics/metrics-server.ts'
import type { Proxies } from '../../service/proxies.ts'
import type { RateLimit } from '../../service/rate-limit.ts'
import type { RunningServer } from '../../service/server.ts'
import type { ServiceManager } from '../../service/service-manager.ts'
import type { Store, UniqueMember } from '../../service/store/store.ts'
import { addCommands, type Commands, examples } from '../command-tree.ts'
import { parseTime } from '../flags.ts'
import { addServeBackup } from './backup.ts'
import { addServeCopy } from './copy.ts'
import { chooseDatabase } from './database.ts'
import { readKeyForNew } from './first-key.ts'
import { KEYS_COMMANDS } from './keys.ts'
import { LOG_FORMATS, type LogFormat, type OpenLog, openLog } from './log.ts'
import { openPreparedStore, type Prepared } from './open-store.ts'
import { defineObjectsOf, readObjectsInput } from './own-objects.ts'
import { parseBasePath, parseTrustProxy } from './proxy-flags.ts'
import { addServeRestore } from './restore.ts'
import { addRetentionFlags, type RetentionFlags, retentionOf } from './retention-flags.ts'
import { readPipelinesFile, readSeedFile } from './seed.ts'
import { parsePort, parseRateLimit, parseRetrySchedule, readTls } from './serve-flags.ts'
import { drain, holdHangups, isTerminated, reload } from './signals.ts'
import { addServeStats } from './stats.ts'
import { inTime, type Lost, notStored, stop } from './stop.ts'
import { parseUnique } from './unique.ts'

interface Options extends MetricsFlags, RetentionFlags {
  readonly database?: string
  readonly host: string
  readonly port: number
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly insecureHttp?: true
  readonly objects?: string
  readonly pipelines?: string
  readonly rateLimit?: RateLimit | undefined
  readonly retrySchedule?: readonly number[]
  readonly allowPrivateTargets?: true
  readonly readyJson?: true
  readonly seed?: string
  readonly unique?: readonly UniqueMember[]
  readonly log?: LogFormat
  readonly logFile?: string
  readonly drain?: number
  readonly trustProxy?: Proxies['trusts']
  readonly basePath?: string
}

const BESIDE_SERVING: Commands = {
  keys: KEYS_COMMANDS,
  backup: addServeBackup,
  restore: addServeRestore,
  copy: addServeCopy,
  stats: addServeStats,
}

export function addServe(program: CommandUnknownOpts, act: Act, words: readonly string[]): void {
  const serve = program
    .command('serve')
    .summary('run the CRM service on this machine')
    .description('run the CRM service on this machine, on an embedded database or on PostgreSQL; Ctrl-C stops it')
    .option('--database <file>', 'an SQLite file, postgres://..., or :memory: (default: crm.db in the data folder)')
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .option('--port <n>', 'listen on this port; 0 takes a free one', parsePort, 4243)
    .option('--tls-cert <file>', 'serve https with this certificate')
    .option('--tls-key <file>', 'and this private key')
    .option('--insecure-http', 'allow plain http on an address that others can reach')
    .option('--objects <file>', 'objects of your own, JSON or YAML; stored in the database')
    .option('--pipelines <file>', 'pipelines and their stages, JSON or YAML')
    .option('--seed <file>', 'records for an empty database, JSON or YAML')
    .option(
      '--unique <list>',
      'members whose values must be unique, such as contacts.email; stored in the database until --unique none',
      parseUnique,
    )
    .addOption(
      new Option('--log <format>', 'log each request on stderr (default: failures only, as text)').choices(LOG_FORMATS),
    )
    .option(
      '--trust-proxy <networks>',
      'believe X-Forwarded-For, Forwarded and X-Forwarded-Prefix of these addresses, such as 10.0.0.0/8,::1',
      parseTrustProxy,
    )
    .option('--base-path <path>', 'the path in front of /v1 for clients, such as /crm', parseBasePath)
    .option('--log-file <file>', 'log to this file instead; SIGHUP opens it again')
    .option(
      '--drain <time>',
      'after SIGTERM, answer for so long while /readyz is 503 (default: 5s; 0s on a loopback --host)',
      parseTime,
    )
    .addOption(
      new Option('--rate-limit <n/time>', 'requests a key may send, or none')
        .argParser(parseRateLimit)
        .default(parseRateLimit('1000/10s'), '1000/10s'),
    )
    .option(
      '--retry-schedule <times>',
      'when to try a delivery, such as 0,5s,5m (default: 10 tries in 3 days)',
      parseRetrySchedule,
    )
    .option('--allow-private-targets', 'deliver to private addresses, too; default with a loopback --host')
    .option('--ready-json', 'print one JSON line on stdout when ready')
    .addHelpText(
      'after',
      `${examples('crm serve', 'crm serve --database :memory: --port 0 --ready-json --key-file key.txt')}\n\nA new database gets a key, kept under the profile local (or -p NAME); --key-file FILE sets the key instead.`,
    )
    .action(act(serveUntilStopped))
  addRetentionFlags(serve)
  addMetricsFlags(serve)
  addCommands(serve, act, BESIDE_SERVING, words)
}

/** Returns after the service has stopped: requests in flight are answered, and acknowledged writes are on disk. */
async function serveUntilStopped(given: Context, options: Options): Promise<number | undefined> {
  const hasHungUp = holdHangups(given)
  const { log, reopen } = await openLog(given, { format: options.log, file: options.logFile })
  const ctx = options.log === 'json' ? notingIn(log, given) : given
  const tls = await readTls(options)
  if (!isLoopback(options.host) && !tls && !options.insecureHttp) {
    throw new CrmError(
      'usage',
      `--host ${options.host} is reachable by others, and plain http would reveal every key`,
      {
        hint: 'add --tls-cert FILE --tls-key FILE, or --insecure-http if that network is yours',
      },
    )
  }
  const { address, location } = chooseDatabase(ctx.env, options.database)
  const file = options.objects === undefined ? undefined : await readObjectsInput(ctx, options.objects)
  const objects = await defineObjectsOf(ctx, address, file)
  const pipelines = options.pipelines === undefined ? undefined : await readPipelinesFile(ctx, options.pipelines)
  const prepared = {
    address,
    location,
    objects,
    pipelines,
    unique: options.unique,
    seed:
      options.seed === undefined
        ? undefined
        : await readSeedFile(ctx, options.seed, { location, pipelines, uniqueMembers: options.unique }),
    given: await readKeyForNew(ctx, location),
    retention: retentionOf(options),
  }
  const clock = { now: ctx.now }
  const metrics = await startMetrics(options, () => clock.now())
  let lost: Lost
  try {
    lost = await serveUntilAborted(ctx, options, { prepared, clock, tls, log, reopen, metrics, hasHungUp })
  } finally {
    await metrics?.close()
  }
  ctx.note('crm serve has stopped.')
  return lost.uses + lost.results === 0 ? undefined : reportError(ctx.io.stderr, notStored(location, lost), ctx.argv)
}

interface Parts extends Pick<Running, 'log'>, Pick<OpenLog, 'reopen'> {
  readonly prepared: Prepared
  /** That of the database once it is open. */
  readonly clock: { now: () => number }
  readonly tls: Tls | undefined
  readonly metrics: RunningMetrics | undefined
  /** Whether SIGHUP came during the start. */
  readonly hasHungUp: () => boolean
}

async function serveUntilAborted(ctx: Context, options: Options, parts: Parts): Promise<Lost> {
  const { prepared, clock, log, reopen, metrics, hasHungUp } = parts
  const { location } = prepared
  const opening = Promise.withResolvers<Store>()
  // A failure to open is thrown below, even if no request waits for it.
  opening.promise.catch(() => {})
  // Before the database is opened, so that a wrong address or certificate makes no new one.
  const server = await listen(ctx, options, { ...parts, store: opening.promise })
  let store: Store
  try {
    store = await openPreparedStore(ctx, { ...prepared, observer: metrics?.observer }, server.url)
    clock.now = store.now
    metrics?.watch(store)
    opening.resolve(store)
  } catch (error) {
    opening.reject(error)
    await server.close()
    throw error
  }
  try {
    ctx.note(`crm serve is ready at ${server.url} (database ${location})`)
    if (metrics) ctx.note(`Metrics are at ${metrics.url}`)
    if (options.readyJson) {
      const ready = { type: 'ready', url: server.url, database: location, metrics_url: metrics?.url }
      await writeText(ctx.io.stdout, `${JSON.stringify(ready)}\n`)
    }
    const manager = ctx.env.NOTIFY_SOCKET
      ? (await import('../../service/service-manager.ts')).openServiceManager(ctx)
      : undefined
    const reloadNow = (): void => void reload(ctx, options, { server, reopen, manager })
    ctx.reloadOnHangup?.(reloadNow)
    manager?.ready(server.url)
    if (hasHungUp()) reloadNow()
    const lost = await deliverUntilStopped(ctx, options, { store, server, log, manager })
    await manager?.sent()
    return lost
  } finally {
    await server.close()
    await inTime(store, store.close())
  }
}

/** Writes notes as entries of the log, whose lines are read by programs. */
function notingIn(log: Log | undefined, ctx: Context): Context {
  const note = (message: string): void => log?.({ level: 'info', event: 'note', message })
  return { ...ctx, note: ctx.flags.isQuiet ? ctx.note : note }
}

async function listen(
  ctx: Pick<Context, 'version'>,
  options: Options,
  { store, clock, tls, log, metrics, prepared }: Parts & { readonly store: Promise<Store> },
) {
  const { startServer } = await import('../../service/server.ts')
  const { host, port, rateLimit, trustProxy: trusts = () => false, basePath = '' } = options
  const allowsPrivateTargets = deliversToPrivate(options)
  return startServer({
    store,
    host,
    port,
    tls,
    rateLimit,
    allowsPrivateTargets,
    proxies: { trusts, basePath },
    now: () => clock.now(),
    onAnswered: metrics?.onAnswered,
    answersKeptMs: prepared.retention?.answersMs,
    log,
    version: ctx.version,
  })
}

function deliversToPrivate({ allowPrivateTargets, host }: Options): boolean {
  return allowPrivateTargets ?? isLoopback(host)
}

interface Running {
  readonly store: Store
  readonly server: RunningServer
  readonly manager: ServiceManager | undefined
  readonly log: Log | undefined
}

/** Events not delivered when this returns are kept, and delivered after the next start. */
async function deliverUntilStopped(
  ctx: Pick<Context, 'note' | 'signal' | 'version'>,
  options: Options,
  { store, server, log, manager }: Running,
): Promise<Lost> {
  const { startSender } = await import('../../service/delivery/sender.ts')
  const sender = startSender({
    store,
    retryDelaysMs: options.retrySchedule,
    allowsPrivateTargets: deliversToPrivate(options),
    now: store.now,
    version: ctx.version,
    log,
  })
  try {
    const stopped = ctx.signal.aborted ? undefined : once(ctx.signal, 'abort')
    await Promise.race([stopped, sender.failure])
    manager?.stopping()
    if (isTerminated(ctx)) await drain(ctx, options, server)
  } catch (error) {
    await stop(ctx, { store, server, sender })
    throw error
  }
  return stop(ctx, { store, server, sender })
}

interface MetricsFlags {
  readonly metricsPort?: number
  readonly metricsHost?: string
}

/** Adds them to `crm serve`. */
function addMetricsFlags<Command extends CommandUnknownOpts>(serve: Command): Command {
  serve
    .option('--metrics-port <n>', 'serve /metrics, in OpenMetrics text, on this port; 0 takes a free one', parsePort)
    .option('--metrics-host <address>', 'listen on this address for it (default: 127.0.0.1)')
  return serve
}

/** Undefined without the flag: nothing is loaded, and nothing counted. */
async function startMetrics(
  { metricsPort: port, metricsHost }: MetricsFlags,
  now: () => number,
): Promise<RunningMetrics | undefined> {
  if (port === undefined) {
    if (metricsHost === undefined) return undefined
    throw new CrmError('usage', '--metrics-host needs --metrics-port', {
      hint: `crm serve --metrics-host ${metricsHost} --metrics-port 9464`,
    })
  }
  const metrics = await import('../../service/metrics/metrics-server.ts')
  return metrics.startMetricsServer({ host: metricsHost ?? '127.0.0.1', port, now })
}
