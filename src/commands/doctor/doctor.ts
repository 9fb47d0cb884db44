import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Finding } from '../../api/doctor/finding.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT } from '../../core/exit.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import type { JsonObject } from '../../core/json.ts'
import { createRedactor } from '../../core/redact.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { OutputStream } from '../../core/streams.ts'
import { printRecords } from '../../output/print-records.ts'
import { safeText } from '../../output/safe-text.ts'
import { wrapText } from '../../output/terminal-text.ts'
import { appliesTo, chooseAddress, chooseProfile } from '../../settings/address.ts'
import type { GivenKey } from '../../settings/key-candidates.ts'
import { describeKeySources, type KeySources, lastFourOf } from '../../settings/key-sources.ts'
import type { Settings } from '../../settings/settings.ts'
import { connectorOf, type NamedConnector, requireConnector, type TargetRequest } from '../../settings/target.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { itemsOf, onePage, printList, printOne, recordOutput } from '../print.ts'

const COLUMNS = ['check', 'state', 'seen'] as const

/** The width of check and state with their gaps. */
const HEAD_WIDTH = 'idempotency'.length + 'unknown'.length + 4

/** The minimum width of the last column. */
const MIN_WIDTH = 30

export function addDoctor(program: CommandUnknownOpts, act: Act): void {
  const doctor = program
    .command('doctor')
    .description('check the key, the connection, and whether the server answers as the connector says; reads only')
    .addHelpText('after', examples('crm doctor', 'crm doctor -p other -o json'))
    .action(act(runDoctor))
  addScopedFlags(doctor, ['fields'])
}

async function runDoctor(ctx: Context): Promise<undefined> {
  const target = await readTarget(ctx)
  ctx.note(`Asking ${baseUrlText(target.baseUrl)}${await requestsOf(target)}; nothing is written there.`)
  const findings = withKeySource(await ctx.diagnose(target), target)
  await printDiagnosis(ctx, target, findings)
  for (const { check, state, hint } of findings) if (state === 'warn' && hint) ctx.note(`${check}: ${hint}`)
  // The first failure is often the cause of the others.
  const first = findings.find(({ failure }) => failure !== undefined)
  if (first?.failure) throw first.failure
}

/** What the connector's list of contacts sends: the request is as harmless as the file that names it. */
async function requestsOf({ connector }: DoctorTarget): Promise<string> {
  const { connectorDocument, contactsRequest } = await import('../../api/connectors/open-connector.ts')
  const contacts = contactsRequest(await connectorDocument(connector))
  return contacts === undefined ? '' : ` with ${contacts}, as the connector says`
}

/** One document if the format allows it, else a row for each check. */
async function printDiagnosis(ctx: Context, target: DoctorTarget, findings: readonly Finding[]): Promise<undefined> {
  ctx.keepExitCode?.()
  const { output } = ctx.flags
  if (output === 'json' || output === 'jsonl' || output === 'yaml') return printOne(ctx, documentOf(target, findings))
  if (output !== 'table') {
    const pages = onePage(findings.map(rowOf))
    return printList(ctx, { pages, columns: COLUMNS, plural: 'checks' })
  }
  const { stdout } = ctx.io
  const rows = findings.flatMap((finding) => linesOf(finding, stdout))
  // Printed as to a pipe, so that the findings are not truncated to the terminal width.
  const uncut = { write: (text: string) => stdout.write(text) }
  const out = await recordOutput(ctx, COLUMNS, uncut)
  await printRecords({ ...out, isWhole: true }, itemsOf(onePage(rows)))
}

/** One row; on a terminal, as many as the wrapped text needs. */
function linesOf(
  { check, state, seen }: Finding,
  { isTTY = false, columns = 80 }: OutputStream,
): readonly JsonObject[] {
  const text = safeText(seen)
  const [first = '', ...rest] = isTTY ? wrapText(text, Math.max(MIN_WIDTH, columns - HEAD_WIDTH)) : [text]
  return [{ check, state, seen: first }, ...rest.map((line) => ({ check: '', state: '', seen: line }))]
}

function documentOf(target: DoctorTarget, findings: readonly Finding[]): CrmRecord {
  const first = findings.find(({ failure }) => failure !== undefined)
  return {
    base_url: baseUrlText(target.baseUrl),
    profile: target.profileName ?? null,
    ok: first === undefined,
    exit: first?.failure?.exit ?? EXIT.ok,
    checks: findings.map(rowOf),
  }
}

function rowOf({ check, state, seen, found, hint, failure }: Finding): JsonObject {
  return { check, state, seen, code: failure?.code ?? null, hint: hint ?? null, found: found ?? {} }
}

/** The server of this command line, and the source of its key. */
interface DoctorTarget {
  readonly baseUrl: URL
  readonly serveDatabase: string | undefined
  readonly connector: NamedConnector
  readonly pageSize: number | undefined
  readonly key: string | undefined
  readonly profileName: string | undefined
  readonly sources: KeySources
  /** The error without a key. */
  readonly lack: CrmError | undefined
}

/** Without a key, the connection can still be checked. CrmError with another code if there is no server. */
async function readTarget(ctx: Context): Promise<DoctorTarget> {
  const { env, flags } = ctx
  const settings = await ctx.settings()
  const request = { env, profileFlag: flags.profile, keyFromFlag: undefined, repository: await ctx.repository() }
  try {
    const target = await ctx.target()
    const { baseUrl, key, pageSize, profileName, serveDatabase } = target
    // Stdin can be read once, and has been.
    const keyFromFlag = key.source.startsWith('--') ? key : undefined
    const sources = await sourcesOf(settings, { ...request, keyFromFlag }, key)
    const server = { baseUrl, pageSize, connector: requireConnector(target), serveDatabase }
    const token = await (await ctx.tokens())?.current()
    return { ...server, key: token ?? key.value, profileName, sources, lack: undefined }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'no_key') throw error
    const chosen = await chooseProfile(settings, request)
    const baseUrl = chooseAddress(settings, env, chosen)
    const applying = chosen && appliesTo(chosen, baseUrl) ? chosen : undefined
    const profileName = applying?.name
    const connector = requireConnector({ connector: connectorOf(applying), profileName, baseUrl })
    const { pageSize, serveDatabase } = applying?.profile ?? {}
    const sources = await describeKeySources(settings, request)
    return { baseUrl, pageSize, connector, serveDatabase, key: undefined, profileName, sources, lack: error }
  }
}

/** Damaged files that are not needed are ignored: a warning has been printed. */
async function sourcesOf(settings: Settings, request: TargetRequest, { source, value }: GivenKey): Promise<KeySources> {
  try {
    return await describeKeySources(settings, request)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    const winner = { source, keptIn: undefined, origin: undefined, lastFour: lastFourOf(value) }
    return { profileName: undefined, winner, shadowed: [] }
  }
}

/**
 * Adds the source of the key to the finding about it. Redacts all findings: a server may quote the key, and diagnoses are
 * passed on to others.
 */
function withKeySource(findings: readonly Finding[], { key, sources, lack }: DoctorTarget): readonly Finding[] {
  const { foreign } = createRedactor(key === undefined ? [] : [key])
  return findings.map((each) => {
    const finding = { ...each, seen: foreign(each.seen) }
    if (finding.check !== 'key') return finding
    const found = keyMembers(sources)
    if (lack) return { check: 'key', state: 'fail', seen: lack.message, found, failure: lack, hint: lack.details.hint }
    return { ...finding, seen: `${keySourceText(sources)}; ${finding.seen}`, found }
  })
}

function keySourceText({ winner, shadowed }: KeySources): string {
  const ending = winner?.lastFour === undefined ? '' : `, ending in ${winner.lastFour}`
  const place = winner?.keptIn === undefined ? '' : ` ${winner.keptIn}`
  const overridden = shadowed.length === 0 ? '' : `, in place of ${shadowed.map(({ source }) => source).join(', ')}`
  return `from ${winner?.source ?? 'nowhere'}${place}${ending}${overridden}`
}

function keyMembers({ winner, shadowed }: KeySources): JsonObject {
  return {
    source: winner?.source ?? null,
    kept_in: winner?.keptIn ?? null,
    last_four: winner?.lastFour ?? null,
    shadows: shadowed.map(({ source }) => source),
  }
}
