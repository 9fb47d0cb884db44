import type { Finding } from '../../api/doctor/finding.ts'
import type { Context } from '../../context.ts'
import { EXIT } from '../../core/exit.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { OutputStream } from '../../core/streams.ts'
import { printRecords } from '../../output/print-records.ts'
import { safeText } from '../../output/safe-text.ts'
import { wrapText } from '../../output/wrap-text.ts'
import { itemsOf, onePage, printList, printOne, recordOutput } from '../print.ts'
import type { Change } from './changes.ts'
import type { DoctorTarget } from './doctor-target.ts'

export interface Diagnosis {
  readonly target: DoctorTarget
  readonly findings: readonly Finding[]
  readonly changes: readonly Change[]
  readonly isWritten: boolean
}

const COLUMNS = ['check', 'state', 'seen'] as const

/** One document where the format has room for one, else a row for each check. */
export async function printDiagnosis(ctx: Context, diagnosis: Diagnosis): Promise<undefined> {
  ctx.onVerdict?.()
  const { output } = ctx.flags
  if (output === 'json' || output === 'jsonl' || output === 'yaml') return printOne(ctx, documentOf(diagnosis))
  if (output !== 'table') {
    const pages = onePage(diagnosis.findings.map(rowOf))
    return printList(ctx, { pages, columns: COLUMNS, plural: 'checks' })
  }
  const { stdout } = ctx.io
  const rows = diagnosis.findings.flatMap((finding) => linesOf(finding, stdout))
  // As if it were piped: what was seen is the whole point, and is not cut to the width of a terminal.
  const uncut = { write: (text: string) => stdout.write(text) }
  await printRecords(await recordOutput(ctx, COLUMNS, uncut), itemsOf(onePage(rows)))
}

/** Check and state, with the gaps behind them. */
const HEAD_WIDTH = 'largest_page'.length + 'unknown'.length + 4
/** In less room a line each word would say nothing. */
const LEAST_WIDTH = 30

/** One row, and on a terminal as many as what was seen takes. */
function linesOf(
  { check, state, seen }: Finding,
  { isTTY = false, columns = 80 }: OutputStream,
): readonly JsonObject[] {
  const text = safeText(seen)
  const [first = '', ...rest] = isTTY ? wrapText(text, Math.max(LEAST_WIDTH, columns - HEAD_WIDTH)) : [text]
  return [{ check, state, seen: first }, ...rest.map((line) => ({ check: '', state: '', seen: line }))]
}

function documentOf({ target, findings, changes, isWritten }: Diagnosis): CrmRecord {
  const first = findings.find(({ failure }) => failure !== undefined)
  return {
    base_url: target.baseUrl.href.replace(/\/$/, ''),
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
