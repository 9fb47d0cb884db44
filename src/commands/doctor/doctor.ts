import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Finding } from '../../api/doctor/finding.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT } from '../../core/exit.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { OutputStream } from '../../core/streams.ts'
import { printRecords } from '../../output/print-records.ts'
import { safeText } from '../../output/safe-text.ts'
import { wrapText } from '../../output/terminal-text.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import type { WithFlags } from '../global-flags.ts'
import { itemsOf, onePage, printList, printOne, recordOutput } from '../print.ts'
import {
  changesOf,
  type DoctorTarget,
  readTarget,
  refuseWithoutProfile,
  type SettingChange,
  withKeySource,
  writeChanges,
} from './doctor-target.ts'

const COLUMNS = ['check', 'state', 'seen'] as const

/** The width of check and state with their gaps. */
const HEAD_WIDTH = 'largest_page'.length + 'unknown'.length + 4

/** The minimum width of the last column. */
const MIN_WIDTH = 30

export function addDoctor(program: CommandUnknownOpts, act: Act): void {
  const doctor = program
    .command('doctor')
    .description('check the connection to the server and what the server supports; reads only')
    .option('--fix', 'write the findings to the settings of the profile: wire.* and operations')
    .addHelpText(
      'after',
      examples('crm doctor', 'crm doctor --fix --dry-run -p other', 'crm doctor --fix -p other', 'crm doctor -o json'),
    )
    .action(act(runDoctor))
  addScopedFlags(doctor, ['fields', 'dryRun'])
}

async function runDoctor(ctx: Context, options: { readonly fix?: true }): Promise<undefined> {
  if (ctx.flags.isDryRun && !options.fix) {
    throw new CrmError('usage', '--dry-run goes with --fix: without it nothing is written', { hint: 'crm doctor' })
  }
  const target = await readTarget(ctx)
  ctx.note(`Asking ${baseUrlText(target.baseUrl)}${await requestsOf(target)}; nothing is written there.`)
  const found = withKeySource(await ctx.diagnose(target), target)
  const changes = changesOf(found, target)
  if (!options.fix || changes.length === 0 || ctx.flags.isDryRun || target.profileName === undefined) {
    await printDiagnosis(ctx, { target, findings: found, changes, isWritten: false })
    noteWarnings(ctx, found)
    if (options.fix) noteFix(ctx, changes, found)
    else noteChanges(ctx, changes, target.profileName)
    if (options.fix && changes.length > 0) refuseWithoutProfile(target, changes)
    return endWith(ctx, found, changes.length > 0)
  }
  const wire = await writeChanges(ctx, target.profileName, changes)
  const after = withKeySource(await ctx.diagnose({ ...target, wire }), target)
  await printDiagnosis(ctx, { target, findings: after, changes, isWritten: true })
  noteWarnings(ctx, after)
  for (const { setting, value } of changes) ctx.note(`Profile ${target.profileName}: ${setting} = ${value}`)
  return endWith(ctx, after, false)
}

/** What the connector's list of contacts sends: the request is as harmless as the file that names it. */
async function requestsOf({ connector }: DoctorTarget): Promise<string> {
  if (!connector) return ''
  const { readsOf } = await import('../../api/connectors/open-connector.ts')
  const { contacts } = await readsOf(connector.name)
  return contacts === undefined ? '' : ` with ${contacts}, as the connector says`
}

/** Warnings only: the hint of a failure is part of its error. */
function noteWarnings(ctx: Pick<Context, 'note'>, findings: readonly Finding[]): void {
  for (const { check, state, hint } of findings) if (state === 'warn' && hint) ctx.note(`${check}: ${hint}`)
}

function noteFix(
  ctx: Pick<Context, 'note'> & WithFlags<'isDryRun'>,
  changes: readonly SettingChange[],
  found: readonly Finding[],
): void {
  const wasAsked = found.some(({ check, state }) => check === 'records' && (state === 'ok' || state === 'warn'))
  if (changes.length === 0 && !wasAsked) ctx.note('Nothing to write: the lists of this server could not be read.')
  else if (changes.length === 0) ctx.note('Nothing to write: crm recognises this server without settings.')
  else if (ctx.flags.isDryRun) {
    for (const change of changes) ctx.note(`Would write ${changeText(change)}`)
    ctx.note('Dry run: nothing was written.')
  }
}

function noteChanges(
  ctx: Pick<Context, 'argv' | 'note'>,
  changes: readonly SettingChange[],
  profileName: string | undefined,
): void {
  if (changes.length === 0) return
  const what = changes.map(changeText).join(', ')
  if (profileName === undefined) ctx.note(`A profile could hold ${what}: crm doctor --fix shows how`)
  else ctx.note(`crm doctor --fix${typedProfile(ctx.argv)} writes ${what} to the profile ${profileName}`)
}

function changeText({ setting, value, now }: SettingChange): string {
  return `${setting} = ${JSON.stringify(value)} (now ${now === '' ? 'not set' : now})`
}

/** The exit code is that of the first failure, which is often the cause of the others. */
function endWith(
  ctx: Pick<Context, 'argv'> & WithFlags<'isDryRun'>,
  findings: readonly Finding[],
  isFixable: boolean,
): undefined {
  const first = findings.find(({ failure }) => failure !== undefined)
  if (!first?.failure) return
  const { code, message, details } = first.failure
  if (!isFixable || !first.proposals?.length || ctx.flags.isDryRun) throw first.failure
  throw new CrmError(code, message, { ...details, hint: `crm doctor --fix${typedProfile(ctx.argv)}` })
}

interface Diagnosis {
  readonly target: DoctorTarget
  readonly findings: readonly Finding[]
  readonly changes: readonly SettingChange[]
  readonly isWritten: boolean
}

/** One document if the format allows it, else a row for each check. */
async function printDiagnosis(ctx: Context, diagnosis: Diagnosis): Promise<undefined> {
  ctx.keepExitCode?.()
  const { output } = ctx.flags
  if (output === 'json' || output === 'jsonl' || output === 'yaml') return printOne(ctx, documentOf(diagnosis))
  if (output !== 'table') {
    const pages = onePage(diagnosis.findings.map(rowOf))
    return printList(ctx, { pages, columns: COLUMNS, plural: 'checks' })
  }
  const { stdout } = ctx.io
  const rows = diagnosis.findings.flatMap((finding) => linesOf(finding, stdout))
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

function documentOf({ target, findings, changes, isWritten }: Diagnosis): CrmRecord {
  const first = findings.find(({ failure }) => failure !== undefined)
  return {
    base_url: baseUrlText(target.baseUrl),
    profile: target.profileName ?? null,
    ok: first === undefined,
    exit: first?.failure?.exit ?? EXIT.ok,
    checks: findings.map(rowOf),
    settings: changes.map((change): JsonObject => ({ ...change })),
    written: isWritten,
  }
}

function rowOf({ check, state, seen, found, hint, failure }: Finding): JsonObject {
  return { check, state, seen, code: failure?.code ?? null, hint: hint ?? null, found: found ?? {} }
}
