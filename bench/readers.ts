import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { benchFolder, median, plainEnv, ROOT } from './processes.ts'
import type { Row } from './table.ts'

const ROUNDS = 3
const HEADER = 'id,name,email,phone,company,owner_id,created_at,updated_at,version\r\n'

interface Run {
  readonly count: number
  readonly tookMs: number
  readonly peakKib: number
}

/**
 * Reading files as rows of an import (fields by name, positions, checked values), beside packages that only split or parse
 * lines. The time of crm includes its first pass over the file, for the encoding.
 */
export async function measureReaders(count: number): Promise<Row[]> {
  const folder = benchFolder()
  const files = {
    plain: write(join(folder, 'plain.csv'), HEADER, count, (at) => `${cells(at).join(',')}\r\n`),
    quoted: write(
      join(folder, 'quoted.csv'),
      HEADER,
      count,
      (at) =>
        `${cells(at)
          .map((cell) => `"${cell}"`)
          .join(',')}\r\n`,
    ),
    jsonl: write(join(folder, 'all.jsonl'), '', count, (at) => {
      const [id, name, email, phone, company, owner_id] = cells(at)
      return `${JSON.stringify({ id, name, email, phone, company, owner_id })}\n`
    }),
  }
  return [
    ...compare(`csv of ${count.toLocaleString('en')} rows`, files.plain, 'papaparse', count),
    ...compare(`csv of ${count.toLocaleString('en')} rows`, files.plain, 'csv-parse', count),
    ...compare('the same, every cell in quotes', files.quoted, 'papaparse', count),
    ...compare('the same, every cell in quotes', files.quoted, 'csv-parse', count),
    ...compare(`jsonl of ${count.toLocaleString('en')} rows`, files.jsonl, 'JSON.parse', count),
  ]
}

function compare(what: string, file: string, peer: string, count: number): Row[] {
  const runs = { ours: [] as Run[], peer: [] as Run[] }
  for (let round = 0; round < ROUNDS; round++) {
    runs.ours.push(run(['bench/floors/read-rows.ts', file]))
    runs.peer.push(run(['bench/floors/parse-file.mjs', peer, file]))
  }
  if (runs.ours.some((each) => each.count !== count)) throw new Error(`${file}: rows are missing`)
  const perSecond = (of: readonly Run[]) => (count / median(of.map(({ tookMs }) => tookMs))) * 1000
  const peak = (of: readonly Run[]) => `${(median(of.map(({ peakKib }) => peakKib)) / 1024).toFixed(0)} MiB`
  const [ours, theirs] = [perSecond(runs.ours), perSecond(runs.peer)]
  const measured = `${ours.toFixed(0)} rows/s, ${peak(runs.ours)}`
  return [
    {
      what,
      measured,
      peer: `${peer}: ${theirs.toFixed(0)} rows/s, ${peak(runs.peer)}`,
      ratio: ours / theirs,
      goal: undefined,
    },
  ]
}

function run(args: readonly string[]): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, env: plainEnv(), encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status}\n${stderr}`)
  return JSON.parse(stdout)
}

function cells(at: number): readonly string[] {
  const time = '2026-01-01T00:00:00.000Z'
  return [
    `con_${at}`,
    `Contact ${at}`,
    `c${at}@example.test`,
    `+49 151 ${at}`,
    `Company ${at % 977}`,
    `u_${at % 40}`,
    time,
    time,
    '1',
  ]
}

function write(file: string, head: string, count: number, line: (at: number) => string): string {
  const descriptor = openSync(file, 'w')
  writeSync(descriptor, head)
  for (let at = 0; at < count; at += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - at) }, (_, more) => line(at + more))
    writeSync(descriptor, lines.join(''))
  }
  closeSync(descriptor)
  return file
}
