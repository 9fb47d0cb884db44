import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { buildProgram, run } from '../src/program.ts'

/** Writes what `bin/ready-text.js` answers with: the version and the help of each command, as the program prints them into a pipe. */
export async function writeReadyTexts(folder: string, version: string): Promise<void> {
  mkdirSync(folder)
  writeFileSync(join(folder, '--version.txt'), await printed(['--version'], version))
  for (const path of await helpPaths()) {
    writeFileSync(join(folder, `${['crm', ...path].join('.')}.txt`), await printed([...path, '--help'], version))
  }
}

/** The words of each command, of the program itself first. */
export async function helpPaths(): Promise<readonly (readonly string[])[]> {
  const program = await buildProgram(
    hostFor('', () => {}),
    () => async () => {},
  )
  const below = (command: Command, path: readonly string[]): readonly (readonly string[])[] => [
    path,
    ...command.commands.flatMap((child) => below(child as Command, [...path, child.name()])),
  ]
  return below(program, [])
}

async function printed(argv: readonly string[], version: string): Promise<string> {
  let text = ''
  const exit = await run(
    argv,
    hostFor(version, (part) => (text += part)),
  )
  if (exit !== 0) throw new Error(`crm ${argv.join(' ')} ended with ${exit}`)
  return text
}

function hostFor(version: string, print: (part: string) => void): Parameters<typeof run>[1] {
  const silent = { write: () => true }
  const stdout = { write: (part: string | Uint8Array) => print(String(part)) === undefined }
  const io = { stdin: (async function* () {})(), stdout, stderr: silent }
  return { io, env: {}, now: Date.now, signal: new AbortController().signal, version, argv: [] }
}
