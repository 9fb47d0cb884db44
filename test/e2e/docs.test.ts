import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ENDINGS, type Ending, NOT_RUN, SHOWN_ELSEWHERE } from '../docs/endings.ts'
import { type Page, readPages, type TypedLine, typedLines } from '../docs/pages.ts'
import { untrueLines } from '../docs/samples.ts'
import { crmCommands } from '../docs/shell-commands.ts'
import { openWorld, runLine } from '../docs/world.ts'

const MISSING = ['curl', 'gzip', 'jq'].filter((name) => spawnSync(name, ['--version']).error !== undefined)

interface Typed extends TypedLine {
  readonly page: string
  /** Of its block, for the message that it failed. */
  readonly place: string
}

/** What CI services run, in yaml, is not typed. */
function typedOn({ path, blocks }: Page): readonly Typed[] {
  return blocks
    .filter(({ kind }) => kind !== 'yaml')
    .flatMap((block) => typedLines(block).map((typed) => ({ ...typed, page: path, place: block.place })))
    .filter(({ line }) => crmCommands(line).length > 0 || line.startsWith('export '))
}

function isAbout(
  entry: { readonly page: string; readonly line: string },
  typed: Pick<Typed, 'page' | 'line'>,
): boolean {
  return typed.page.startsWith(entry.page) && typed.line.includes(entry.line)
}

function isRun(typed: Typed): boolean {
  return !NOT_RUN.some((entry) => isAbout(entry, typed)) && !MISSING.some((name) => typed.line.includes(`${name} `))
}

/** How each line ends, in the order in which they are typed, and the files that are changed before. */
function endings() {
  const times = new Map<Ending, number>()
  return (typed: Typed): { readonly exit: number; readonly files: Readonly<Record<string, string>> } => {
    const ending = ENDINGS.find((entry) => isAbout(entry, typed))
    if (!ending) return { exit: 0, files: {} }
    const time = times.get(ending) ?? 0
    times.set(ending, time + 1)
    return { exit: ending.exits[time] ?? 0, files: ending.edits?.[time] ?? {} }
  }
}

const pages = readPages()
  .map((page) => ({ path: page.path, lines: typedOn(page) }))
  .filter(({ lines }) => lines.length > 0)

describe.concurrent('every command line of the docs does what they state', () => {
  for (const { path, lines } of pages) {
    test(path, async ({ onTestFinished, expect }) => {
      const world = await openWorld(onTestFinished)
      const next = endings()
      let exported = ''
      for (const typed of lines.filter(isRun)) {
        const line = await world.filled(typed.line)
        if (line.startsWith('export ')) {
          exported += `${line}; `
          continue
        }
        const { exit: expected, files } = next(typed)
        for (const [name, text] of Object.entries(files)) writeFileSync(join(world.folder, name), text)
        const { exit, stdout, stderr } = await runLine(exported + line, world)
        expect(exit, `${typed.place}: ${line}\n${stderr}`).toBe(expected)
        if (SHOWN_ELSEWHERE.some((entry) => isAbout(entry, typed))) continue
        const untrue = untrueLines(typed.sample, stdout + stderr)
        expect.soft(untrue, `${typed.place}: ${line}\nprinted:\n${stdout}${stderr}`).toEqual([])
      }
    })
  }

  test('no exception is made for a line that no page has, and every page with commands is run', () => {
    const lines = pages.flatMap((page) => page.lines)
    for (const entry of [...NOT_RUN, ...ENDINGS, ...SHOWN_ELSEWHERE])
      expect(
        lines.filter((typed) => isAbout(entry, typed)),
        entry.line,
      ).not.toEqual([])
    // A page about one connector may have its login alone.
    const others = pages.filter(({ path }) => !/^docs\/connectors\/[a-z]/.test(path))
    for (const { lines: some, path } of others) expect(some.filter(isRun), path).not.toEqual([])
  })
})
