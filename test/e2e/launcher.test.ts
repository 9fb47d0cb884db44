import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { CRM, crm, crmPrints } from './crm.ts'

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => statSync(join(folder, name)).isFile())
}

describe('code that Node compiled', () => {
  /** A home, and the folder in it whose state the case makes before crm runs. */
  async function runWith(prepare: (cache: string, home: string) => void, more: Record<string, string> = {}) {
    const { HOME: home, NODE_DISABLE_COMPILE_CACHE: _, ...env } = emptyHome()
    const cache = join(home, '.cache/crm/compiled')
    prepare(cache, home)
    const run = await crm(['config', 'path'], { HOME: home, ...env, ...more })
    expect(run).toMatchObject({ exit: 0, stderr: '' })
    return { home, cache }
  }

  test('is kept in a folder of this user alone, and no run adds to what the same command kept', async () => {
    const { home, cache } = await runWith(() => {})
    expect(statSync(cache).mode & 0o777).toBe(0o700)
    const kept = filesIn(cache)
    expect(kept.length).toBeGreaterThan(3)
    await crm(['config', 'path'], { HOME: home })
    expect(filesIn(cache)).toEqual(kept)
  })

  test.skipIf(process.platform === 'win32')('is kept for its owner alone whatever the umask', () => {
    for (const umask of ['000', '177']) {
      const { HOME: home, PATH } = emptyHome()
      const command = `umask ${umask}; exec "${process.execPath}" "${CRM}" config path`
      execFileSync('sh', ['-c', command], { env: { HOME: home, PATH }, stdio: 'ignore' })
      for (const name of ['.cache', '.cache/crm', '.cache/crm/compiled']) {
        expect(statSync(join(home, name)).mode & 0o777, `${umask} ${name}`).toBe(0o700)
      }
    }
  })

  test('is kept below XDG_CACHE_HOME where that is set', async () => {
    const named = tempFolder()
    await runWith(() => {}, { XDG_CACHE_HOME: named })
    expect(filesIn(join(named, 'crm/compiled'))).not.toEqual([])
  })

  test.each<[string, (cache: string, home: string) => void, Record<string, string>?]>([
    ['in a folder that others can enter', (cache) => makeFolder(cache, 0o755)],
    ['in a folder that others can write', (cache) => makeFolder(cache, 0o770)],
    [
      'behind a link',
      (cache, home) => {
        mkdirSync(join(home, '.cache/crm'), { recursive: true })
        symlinkSync(tempFolder(), cache)
      },
    ],
    ['with NODE_DISABLE_COMPILE_CACHE', () => {}, { NODE_DISABLE_COMPILE_CACHE: '1' }],
    ['without HOME', () => {}, { HOME: '' }],
    ['with a relative HOME', () => {}, { HOME: '.' }],
  ])('is not kept %s', async (_where, prepare, more) => {
    const { home, cache } = await runWith(prepare, more)
    expect(filesIn(cache)).toEqual([])
    expect(filesIn(home)).toEqual([])
  })

  test.skipIf(process.getuid?.() !== 0)(
    'of another user is not read, and nothing is written in the home of another (skipped unless root)',
    async () => {
      const other = 54_321
      const owned = await runWith((cache) => {
        makeFolder(cache, 0o700)
        chownSync(cache, other, other)
      })
      expect(filesIn(owned.cache)).toEqual([])
      const home = await runWith((_cache, home) => chownSync(home, other, other))
      expect(existsSync(home.cache)).toBe(false)
    },
  )

  function makeFolder(folder: string, mode: number): void {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, mode)
  }
})

describe('help and the version', () => {
  test.each([[['help', 'contacts', 'list']], [['contacts', 'list', '-h']]])(
    '%j is contacts list --help',
    async (args) => {
      expect(await crmPrints(args, emptyHome())).toBe(await crmPrints(['contacts', 'list', '--help'], emptyHome()))
    },
  )

  test('reach a slow reader whole, and a reader that is gone is no failure', async () => {
    const slow = `"${process.execPath}" "${CRM}" serve --help | (sleep 0.3; cat)`
    const whole = await crmPrints(['serve', '--help'], emptyHome())
    expect(execFileSync('sh', ['-c', slow], { encoding: 'utf8' })).toBe(whole)
    for (const args of [['serve', '--help'], ['--version']]) {
      const child = spawn(process.execPath, [CRM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
      child.stdout.destroy()
      expect(await once(child, 'close')).toEqual([0, null])
    }
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
