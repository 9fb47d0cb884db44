import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Finding } from '../../api/doctor/finding.ts'
import type { Act, Context } from '../../context.ts'
import { EXIT } from '../../core/exit.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { OutputStream } from '../../core/streams.ts'
import { printRecords } from '../../output/print-records.ts'
import { safeText } from '../../output/safe-text.ts'
import { wrapText } from '../../output/terminal-text.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { itemsOf, onePage, printList, printOne, recordOutput } from '../print.ts'
import { type DoctorTarget, readTarget, withKeySource } from './doctor-target.ts'

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
