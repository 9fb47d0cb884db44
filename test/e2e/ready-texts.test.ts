import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { helpPaths } from '../../scripts/ready-texts.ts'
import { JOINED } from '../../src/loader/bundle.ts'
import { emptyHome } from '../harness/home.ts'
import { CRM, crmPrints } from './crm.ts'

const FOLDER = fileURLToPath(new URL('../../dist/cli', import.meta.url))

/** Prints as JSON what the program itself, without the texts of the build, writes to a pipe for each command line. */
const PROGRAM = `
  const [folder, program, version, ...lines] = process.argv.slice(1)
  const { bundleIn, createChunkLoader } = require(folder + '/chunk-loader.js')
  const { run } = createChunkLoader(bundleIn(folder, process))(program)
  async function printed(argv) {
    let text = ''
    const stdout = { write: (part) => ((text += part), true) }
    const io = { stdin: process.stdin, stdout, stderr: process.stderr }
    await run(argv, { io, env: {}, now: Date.now, signal: new AbortController().signal, version, argv })
    return text
  }
  (async () => {
    const texts = []
    for (const line of lines) texts.push(await printed(JSON.parse(line)))
    console.log(JSON.stringify(texts))
  })()
`

function printedByProgram(lines: readonly (readonly string[])[]): readonly string[] {
  const [program] = /chunks\/program-\w+\.js/.exec(readFileSync(join(FOLDER, JOINED.requests), 'latin1')) ?? []
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const args = ['-e', PROGRAM, FOLDER, String(program), version, ...lines.map((line) => JSON.stringify(line))]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

describe('texts that the build wrote', () => {
  test('are byte for byte what the program prints, for every command and for --version', async () => {
    const lines = [['--version'], ...(await helpPaths()).map((path) => [...path, '--help'])]
    const names = lines.map((line) => (line[0] === '--version' ? line[0] : ['crm', ...line.slice(0, -1)].join('.')))
    const texts = names.map((name) => readFileSync(join(FOLDER, 'texts', `${name}.txt`), 'utf8'))
    expect(texts).toEqual(printedByProgram(lines))
    expect(readdirSync(join(FOLDER, 'texts'))).toHaveLength(names.length)
  })

  test.each([[['help', 'contacts', 'list']], [['contacts', 'list', '-h']]])('answer %j as well', async (args) => {
    expect(await crmPrints(args, emptyHome())).toBe(await crmPrints(['contacts', 'list', '--help'], emptyHome()))
  })

  test('are not used for a mistyped command, for which the program shows the help of what it knows', async () => {
    const lines = [
      ['contcats', '--help'],
      ['contacts', 'lits', '--help'],
    ]
    const shown = await Promise.all(lines.map((line) => crmPrints(line, emptyHome())))
    expect(shown).toEqual(printedByProgram(lines))
  })

  test('reach a slow reader whole, and a reader that is gone is no failure', async () => {
    const slow = `"${process.execPath}" "${CRM}" serve --help | (sleep 0.3; cat)`
    expect(execFileSync('sh', ['-c', slow], { encoding: 'utf8' })).toBe(
      await crmPrints(['serve', '--help'], emptyHome()),
    )
    const child = spawn(process.execPath, [CRM, 'serve', '--help'], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.destroy()
    expect(await once(child, 'close')).toEqual([0, null])
  })

  test.each(['--help', '--version'])(
    'that do not fit on a full disk are a failure of this machine: %s',
    async (flag) => {
      const args = ['-c', `"${process.execPath}" "${CRM}" ${flag} >/dev/full`]
      const child = spawn('sh', args, { stdio: ['ignore', 'ignore', 'pipe'] })
      let said = ''
      child.stderr.setEncoding('utf8').on('data', (text) => (said += text))
      expect(await once(child, 'close')).toEqual([13, null])
      expect(said).toContain('no space left')
    },
  )
})
