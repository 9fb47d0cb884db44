import { resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { CrmError, type ErrorCode } from '../../core/errors.ts'
import { baseUrlText, isHeaderName, isLoopback, parseBaseUrl } from '../../core/http-rules.ts'
import type { JsonObject } from '../../core/json.ts'
import { resourceNamed } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { writeText } from '../../core/streams.ts'
import { askHidden, askTyped, canAsk } from '../../output/prompt.ts'
import { linesFor, writeNoteLine } from '../../output/safe-text.ts'
import type { Decision } from '../../probe/openapi/decisions.ts'
import type { Draft } from '../../probe/openapi/make-draft.ts'
import type { ListProbe } from '../../probe/probe.ts'
import { readKeyFlag } from '../../settings/key-candidates.ts'
import { checkKey } from '../../settings/profile.ts'
import { commandLine, withFlag } from '../command-line.ts'
import { askOpen } from './ask-open.ts'

interface ProbeOptions {
  readonly probe: string
  readonly auth?: string
  readonly whole?: readonly string[]
  readonly writes?: readonly string[]
  readonly out?: string
  readonly name: string | undefined
  /** Paths by plural, and those of fields. */
  readonly answers: ReadonlyMap<string, string>
}

const AUTH_HINT =
  'expected bearer, header:NAME, header:NAME:WORD (WORD and a blank before the key), query:NAME, basic (the key is the user) or basic:USER (the key is the password)'

/** Reads the server, asks what reading cannot know, and writes the connector with what was proven of it. */
export async function createByProbe(ctx: Context, options: ProbeOptions): Promise<undefined> {
  const baseUrl = parseBaseUrl(options.probe, '--probe')
  if (baseUrl.protocol !== 'https:' && !isLoopback(baseUrl.hostname)) {
    throw new CrmError('usage', `${baseUrl.origin} is plain http, so anyone on the network can read the key`, {
      hint: 'use https',
    })
  }
  const { answers, whole = [], writes = [] } = options
  const given = new Map([...answers, ...whole.map(parseWhole), ...writes.map(parseWrites)])
  const auth = options.auth === undefined ? undefined : parseAuth(options.auth)
  await checkOut(ctx, options.out)
  const key = await readKey(ctx, baseUrl)
  const draft = await probeServer(ctx, { baseUrl, key, name: options.name, given, auth })
  await writeOut(ctx, draft, { baseUrl, out: options.out })
}

/** The draft of what was read, with what the person says, and what was proven of it. */
export async function probeServer(ctx: Context, opening: Opening): Promise<Draft> {
  const { probe, draft, answers } = await openAnswered(ctx, opening)
  try {
    const answered = canAsk(ctx) ? await askOpen(ctx, answers, probe.draft, draft) : draft
    const failed = await probe.prove(answered)
    return { ...answered, open: [...answered.open, ...failed] }
  } finally {
    await probe.close()
  }
}

interface Opening {
  readonly baseUrl: URL
  readonly key: string
  readonly name: string | undefined
  readonly given: ReadonlyMap<string, string>
  readonly auth: JsonObject | undefined
}

/** Makes the first draft. On a terminal, asks how to send a key that the server refuses, and for the path of a list that is not found. */
async function openAnswered(ctx: Context, { auth, given, ...opening }: Opening): Promise<Opened> {
  let how = auth ?? { in: 'bearer' }
  let answers = given
  for (;;) {
    const probe = await openOne(ctx, opening, how)
    try {
      return { probe, answers, draft: await probe.draft(answers) }
    } catch (error) {
      await probe.close()
      if (!(error instanceof CrmError)) throw error
      if (isKeyRefused(error)) how = await askAuth(ctx, error, opening.baseUrl)
      else answers = new Map([...answers, ['contacts', await askPath(ctx, error)]])
    }
  }
}

interface Opened {
  readonly probe: ListProbe
  readonly draft: Draft
  readonly answers: ReadonlyMap<string, string>
}

const NO_LIST: readonly ErrorCode[] = ['not_found', 'bad_answer', 'bad_request', 'rejected']

/** Asks for the path of the list. Throws the error if there is no terminal, or if another path would not help. */
async function askPath(ctx: Context, error: CrmError): Promise<string> {
  if (!canAsk(ctx) || !NO_LIST.includes(error.code)) throw error
  writeNoteLine(ctx.io.stderr, error.message)
  const typed = await askTyped(ctx.io, 'Which path lists the contacts? (Enter: end) ', ctx.signal)
  if (!typed.startsWith('/')) throw error
  return typed
}

async function openOne(
  ctx: Context,
  { baseUrl, key, name }: Pick<Opening, 'baseUrl' | 'key' | 'name'>,
  auth: JsonObject,
): Promise<ListProbe> {
  const { openListProbe } = await import('../../probe/probe.ts')
  const { SYSTEM_TIMING } = await import('../../api/transport/timing.ts')
  const { flags, env, signal, now } = ctx
  const debug = flags.isDebug ? (line: string) => writeNoteLine(ctx.io.stderr, `debug: ${line}`) : undefined
  const limits = { timeoutMs: flags.timeoutMs, maxWaitMs: flags.maxWaitMs, userAgent: `crm/${ctx.version}` }
  const timing = ctx.timing ?? SYSTEM_TIMING
  return openListProbe({ baseUrl, key, auth, ...limits, signal, now, debug, env, timing }, name)
}

async function askAuth(ctx: Context, error: CrmError, baseUrl: URL): Promise<JsonObject> {
  if (!canAsk(ctx)) throw refusedKey(ctx, error, baseUrl)
  writeNoteLine(ctx.io.stderr, `${error.message}; ${AUTH_HINT}`)
  const typed = await askTyped(ctx.io, 'How is the key sent? (Enter: end) ', ctx.signal)
  if (typed === '') throw refusedKey(ctx, error, baseUrl)
  return parseAuth(typed)
}

function isKeyRefused({ code }: CrmError): boolean {
  return code === 'unauthorized' || code === 'forbidden'
}

function refusedKey({ argv }: Pick<Context, 'argv'>, error: CrmError, { origin }: URL): CrmError {
  return new CrmError(error.code, `${origin} refuses the key: ${error.message}`, {
    ...error.details,
    cause: error,
    hint: `another key, or another way: ${withFlag(argv, '--auth', 'header:X-API-Key')}; ${AUTH_HINT}`,
  })
}

async function readKey(ctx: Context, { origin }: URL): Promise<string> {
  const flag = await readKeyFlag(ctx)
  const text = flag?.value ?? (ctx.env.CRM_API_KEY || (await profileKey(ctx, origin)))
  if (text === undefined && !canAsk(ctx)) {
    throw new CrmError('no_key', 'no key was given, and there is no terminal to ask at', {
      hint: `${commandLine(ctx.argv)} --key-stdin < key.txt; a server without keys takes any text`,
    })
  }
  const key = text ?? (await askHidden(ctx.io, `API key for ${origin}: `, ctx.signal)).trim()
  ctx.addSecret(key)
  return checkKey(key, flag?.source ?? (text === undefined ? 'the key' : 'CRM_API_KEY'))
}

/** The key of the profile in use, if it is for this server. */
async function profileKey(ctx: Context, origin: string): Promise<string | undefined> {
  try {
    const { baseUrl, key } = await ctx.target()
    return baseUrl.origin === origin ? key.value : undefined
  } catch (error) {
    if (!(error instanceof CrmError) || ctx.flags.profile !== undefined) throw error
    return undefined
  }
}

/** How the key is sent, in the grammar of connectors. CrmError `usage` for another text. */
function parseAuth(text: string): JsonObject {
  const [how = '', name = ''] = text.split(/:(.*)/s)
  if (text === 'bearer') return { in: 'bearer' }
  if (text === 'basic') return { in: 'basic', user: '{key}', password: '' }
  const [, header = '', word] = how === 'header' ? (/^([^:]+)(?::([\w.-]+))?$/.exec(name) ?? []) : []
  if (isHeaderName(header)) return { in: 'header', name: header, value: word === undefined ? '{key}' : `${word} {key}` }
  if (how === 'query' && name !== '') return { in: 'query', name, value: '{key}' }
  if (how === 'basic' && name !== '') return { in: 'basic', user: name.replace(/[{}]/g, '$&$&'), password: '{key}' }
  throw new CrmError('usage', `--auth does not accept ${JSON.stringify(text)}`, { hint: AUTH_HINT })
}

function parseWhole(plural: string): readonly [string, string] {
  if (resourceNamed(plural) !== undefined) return [`${plural}.whole`, 'yes']
  throw new CrmError('usage', `--whole ${JSON.stringify(plural)} names no resource`, {
    hint: 'such as --whole contacts',
  })
}

function parseWrites(text: string): readonly [string, string] {
  const [, plural = '', how = ''] = /^([a-z]+)=(patch|put|none)$/.exec(text) ?? []
  if (resourceNamed(plural) !== undefined) return [`${plural}.writes`, how]
  throw new CrmError('usage', `--writes does not accept ${JSON.stringify(text)}`, {
    hint: 'expected PLURAL=patch, put or none, such as --writes contacts=patch',
  })
}

/** CrmError `unconfirmed` for a file that would be replaced. */
export async function checkOut(ctx: Context, out: string | undefined): Promise<void> {
  if (out === undefined) return
  const { refuseReplacing } = await import('../../probe/openapi/draft-yaml.ts')
  refuseReplacing(resolve(ctx.folder ?? '.', out), ctx.flags.isConfirmed)
}

async function writeOut(
  ctx: Context,
  draft: Draft,
  { baseUrl, out }: { readonly baseUrl: URL; readonly out: string | undefined },
): Promise<void> {
  const { draftYaml, writeDraft } = await import('../../probe/openapi/draft-yaml.ts')
  const text = draftYaml(draft, { source: baseUrl.host, nowMs: ctx.now() })
  const { stdout } = ctx.io
  if (out === undefined) await writeText(stdout, linesFor(stdout, text))
  else await writeDraft(resolve(ctx.folder ?? '.', out), text, ctx.flags.isConfirmed)
  sayPoints(ctx, draft, out)
  const file = out === undefined ? './FILE' : /[/\\]/.test(out) ? out : `./${out}`
  ctx.note(`Next: crm auth login --connector ${shellWord(file)} --base-url ${shellWord(baseUrlText(baseUrl))}`)
}

/** Says what was found, and what is left open: CrmError `partial`, for such a draft is no connector yet. */
export function sayPoints(ctx: Pick<Context, 'note'>, { open, summary }: Draft, file: string | undefined): void {
  for (const line of summary) ctx.note(line)
  for (const { at, text: point } of open) ctx.note(`Decide: ${at}: ${point}`)
  if (open.length > 0) throw openPoints(open, file)
}

function openPoints(open: readonly Decision[], out: string | undefined): CrmError {
  const points = open.length === 1 ? 'a point' : `${open.length} points`
  return new CrmError('partial', `the draft is written, but reading leaves ${points} open`, {
    hint: out === undefined ? 'each is marked in the draft with "decide:"' : `grep -n decide: ${shellWord(out)}`,
  })
}
