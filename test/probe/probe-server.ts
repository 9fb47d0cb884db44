import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { JsonObject } from '../../src/core/json.ts'
import { run } from '../../src/program.ts'
import { type Run, startForeign } from '../foreign/run-shape.ts'
import type { Answered, Asked } from '../foreign/shape.ts'
import { type Env, emptyHome, tempFolder } from '../harness/home.ts'

export interface Probed {
  readonly made: Run
  /** The YAML; empty where nothing was written. */
  readonly text: string
  readonly list: (argv?: readonly string[]) => Promise<Run>
  readonly crm: (argv: readonly string[], stdin?: string, env?: Env) => Promise<Run>
  readonly file: string
  readonly origin: string
  readonly seen: Awaited<ReturnType<typeof startForeign>>['seen']
}

/** Types the answer to each question, by a part of its text, or nothing; with the questions that were asked. */
export async function typed(argv: readonly string[], answers: Readonly<Record<string, string>>) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  let stderr = ''
  const questions: string[] = []
  const write = (text: string) => {
    stderr += text
    if (/[:)] $/.test(text)) questions.push(text)
    const asked = Object.keys(answers).find((part) => /[:)] $/.test(text) && text.includes(part))
    // A hidden answer ends with a carriage return, as keys are read.
    if (/[:)] $/.test(text)) stdin.write(`${answers[asked ?? ''] ?? ''}${asked?.startsWith('API key') ? '\r' : '\n'}`)
    return true
  }
  const exit = await run([...argv], {
    io: { stdin, stdout: { write: () => true }, stderr: { write, isTTY: true } },
    env: emptyHome(),
    now: Date.now,
    signal: new AbortController().signal,
    version: '0.0.0',
    argv: [...argv],
    folder: tempFolder(),
  })
  return { exit, stderr, questions }
}

/** A real server that answers so, and the connector that the probe writes for it. */
export async function probed(
  answer: (asked: Asked) => Answered,
  flags: readonly string[],
  env: Env = {},
): Promise<Probed> {
  const { crm, folder, origin, seen } = await startForeign(answer)
  const file = join(folder, 'drafted.yaml')
  const made = await crm(['connectors', 'create', '--probe', origin, ...flags, '--out', file], '', env)
  const list = (argv: readonly string[] = ['contacts', 'list', '-o', 'id']) =>
    crm(argv, '', { CRM_CONNECTOR: file, ...env })
  return { made, text: textOf(file), list, crm, file, origin, seen }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

export const NOTHING: Answered = { status: 404, json: { message: 'there is nothing here' } }

/** Lists at this path, in pages by number. */
export function pagesAt(path: string, records: readonly JsonObject[], size = 20) {
  return (asked: Asked): Answered => {
    if (asked.path !== path) return NOTHING
    const page = Number(asked.query.get('page') ?? 1)
    const per = Math.min(Number(asked.query.get('per_page') ?? size), 100)
    return { json: { people: records.slice((page - 1) * per, page * per), total: records.length } }
  }
}
