import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { browseEnv } from './browse.ts'
import { benchFolder, CRM, startCrm } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'
import { type BenchTerminal, openBenchTerminal } from './terminal.ts'

/** How long the screens take for staged edits of all contacts, beside the same edits by the command. */
export async function measureBrowseSend(): Promise<Row[]> {
  return [await measureSend(500), await measureSend(56_000)]
}

async function measureSend(count: number): Promise<Row> {
  const database = join(benchFolder(), 'send.db')
  await fillContacts(database, count)
  const server = await startCrm(database)
  const env = browseEnv(server)
  // Before the screens load the records, whose versions it changes.
  const commandMs = timed(() => updateAll(env, 'ONE'))
  const terminal = openBenchTerminal([process.execPath, CRM, 'browse', 'contacts'], env)
  try {
    await terminal.frameWith('1-35 of 500')
    if (count > 500) {
      terminal.write('L')
      await terminal.frameWith('Load all contacts')
      terminal.write('y')
      await untilQuiet(terminal)
    }
    terminal.write('A')
    await terminal.frameWith('marked')
    terminal.write('bcompany=TWO\r')
    await terminal.frameWith('edited, not sent')
    terminal.write('w')
    await terminal.frameWith(`Type ${count}`)
    const startedMs = performance.now()
    terminal.write(`${count}\r`)
    await terminal.frameWith(`${count} saved`)
    const screenMs = performance.now() - startedMs
    return {
      what: `${count} staged edits sent by the screens`,
      measured: `${(screenMs / 1000).toFixed(1)} s`,
      peer: `crm contacts update --where: ${(commandMs / 1000).toFixed(1)} s`,
      ratio: commandMs / screenMs,
      goal: { atLeast: 0.9 },
    }
  } finally {
    terminal.end()
    await server.stop()
  }
}

/** Only the changed part of a line is sent again, so the number of rows is not in one piece. */
async function untilQuiet(terminal: BenchTerminal): Promise<void> {
  for (let frames = -1; frames !== terminal.frames(); ) {
    frames = terminal.frames()
    await delay(2000)
  }
}

function timed(work: () => void): number {
  const startedMs = performance.now()
  work()
  return performance.now() - startedMs
}

function updateAll(env: NodeJS.ProcessEnv, company: string): void {
  const words = ['contacts', 'update', '--where', 'true', '--set', `company=${company}`, '--yes']
  const { status, stderr } = spawnSync(process.execPath, [CRM, ...words], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`crm ${words.join(' ')}: exit ${status}: ${stderr}`)
}
