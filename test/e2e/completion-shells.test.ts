import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Env, emptyHome } from '../harness/home.ts'
import { CRM, crmPrints } from './crm.ts'
import { HAS_TMUX, openProgram, type Terminal } from './terminal.ts'

interface Shell {
  /** What a person types to get it, with nothing of their own settings but `rc`. */
  readonly command: string
  readonly rc: (script: string) => readonly [path: string, text: string]
  readonly showsAbout: boolean
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    command: 'bash --noprofile --rcfile ~/bashrc -i',
    rc: () => ['bashrc', `PS1='> '\nunset HISTFILE\neval "$(crm completion bash)"\n`],
    showsAbout: false,
  },
  zsh: {
    command: 'zsh -i',
    rc: () => ['.zshrc', `PS1='> '\nautoload -Uz compinit\ncompinit -u\neval "$(crm completion zsh)"\n`],
    showsAbout: true,
  },
  fish: {
    command: `fish -C "function fish_prompt; echo -n '> '; end; function fish_greeting; end"`,
    rc: (script) => ['.config/fish/completions/crm.fish', script],
    showsAbout: true,
  },
}

/** What somebody else called things. */
const STAGE = 'x$(touch ~/owned)`touch ~/owned` "y" it\'s; a:b'
const NAME = '$(touch ~/owned) `touch ~/owned` "q" %F{red} a:b'

/** A home with a profile, what is known of its server, and a `crm` that keeps the words which it is started with. */
async function homeFor({ rc }: Shell, shell: string): Promise<Env & { readonly HOME: string }> {
  const home = emptyHome()
  const bin = join(home.HOME, 'bin')
  mkdirSync(bin)
  const start = `exec '${process.execPath}' '${CRM}' "$@"`
  const keep = `printf '%s\\n' "$@" > ~/started`
  writeFileSync(join(bin, 'crm'), `#!/bin/sh\ncase "$1" in __complete|completion) ${start};; esac\n${keep}\n`)
  chmodSync(join(bin, 'crm'), 0o755)
  await crmPrints(['config', 'set', 'base_url', 'http://127.0.0.1:9', '-p', 'here'], home)
  await crmPrints(['auth', 'switch', 'here'], home)
  await crmPrints(['__complete', shell, ''], home)
  const known = {
    base_url: 'http://127.0.0.1:9/',
    ids: {
      contact: [
        ['con_hostile1', NAME],
        ['con_hostile2', 'two\nlines'],
      ],
    },
    stages: [STAGE, 'Won', 'two\nlines'],
  }
  writeFileSync(join(home.HOME, '.local/state/crm/completion/here.json'), JSON.stringify(known), { mode: 0o600 })
  writeFileSync(join(home.HOME, 'people.csv'), 'name\nAda\n')
  mkdirSync(join(home.HOME, '.local/state/crm/events'), { mode: 0o700 })
  const event = { v: 1, id: 'evt_hostile$(touch ~/owned)', event: 'deal.updated', record_id: 'deal_1' }
  const events = join(home.HOME, '.local/state/crm/events/20260102T030405006Z-1.jsonl')
  writeFileSync(events, `${JSON.stringify({ ...event, received_at: '2026-01-02T03:04:05.006Z' })}\n`, { mode: 0o600 })
  const [path, text] = rc(await crmPrints(['completion', shell], home))
  mkdirSync(join(home.HOME, path, '..'), { recursive: true })
  writeFileSync(join(home.HOME, path), text)
  return { ...home, PATH: `${bin}:${home.PATH}`, LC_ALL: 'C.UTF-8', TERM: 'screen' }
}

async function open(name: string): Promise<{ home: Env & { readonly HOME: string }; terminal: Terminal }> {
  const shell = SHELLS[name]
  if (!shell) throw new Error(`no shell ${name}`)
  const home = await homeFor(shell, name)
  const terminal = openProgram(`cd && ${shell.command}`, home)
  await terminal.sees(/>\s*$/)
  return { home, terminal }
}

/** The words that crm was started with when Enter was pressed. */
async function started(home: { readonly HOME: string }, terminal: Terminal): Promise<string> {
  terminal.press('Enter')
  const file = join(home.HOME, 'started')
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 8_000 }).toMatch(/\n$/)
  return readFileSync(file, 'utf8')
}

for (const [name, { showsAbout }] of Object.entries(SHELLS)) {
  const isThere = HAS_TMUX && spawnSync(name, ['--version']).status === 0

  describe.skipIf(!isThere)(`in ${name} (skipped where it or tmux is not installed)`, () => {
    test('Tab completes a command, a value of a flag, a file, and a stage', async () => {
      const { home, terminal } = await open(name)
      terminal.type('crm dea')
      terminal.press('Tab')
      await terminal.sees('crm deals')
      terminal.type('cr')
      terminal.press('Tab')
      await terminal.sees('crm deals create')
      terminal.type('--output=yam')
      terminal.press('Tab')
      await terminal.sees('--output=yaml')
      terminal.type(' --data peo')
      terminal.press('Tab')
      await terminal.sees('--data people.csv')
      terminal.type(' --data=./peo')
      terminal.press('Tab')
      await terminal.sees('--data=./people.csv')
      terminal.type(' --set stage=W')
      terminal.press('Tab')
      await terminal.sees('stage=Won')
      expect(await started(home, terminal)).toBe(
        'deals\ncreate\n--output=yaml\n--data\npeople.csv\n--data=./people.csv\n--set\nstage=Won\n',
      )
    })

    test('a hostile stage reaches crm unchanged, and nothing in it runs', async () => {
      const { home, terminal } = await open(name)
      terminal.type('crm deals create --set stage=x')
      terminal.press('Tab')
      await terminal.sees('a:b')
      expect(await started(home, terminal)).toBe(`deals\ncreate\n--set\nstage=${STAGE}\n`)
      expect(existsSync(join(home.HOME, 'owned'))).toBe(false)
    })

    test('an event of the log reaches crm by its id unchanged, and nothing in it runs', async () => {
      const { home, terminal } = await open(name)
      terminal.type('crm webhooks replay evt_h')
      terminal.press('Tab')
      await terminal.sees('owned')
      expect(await started(home, terminal)).toBe('webhooks\nreplay\nevt_hostile$(touch ~/owned)\n')
      expect(existsSync(join(home.HOME, 'owned'))).toBe(false)
    })

    test(`ids are listed${showsAbout ? ' with the names of their records as they are' : ''}`, async () => {
      const { home, terminal } = await open(name)
      terminal.type('crm contacts get con_h')
      terminal.press('Tab')
      await terminal.sees('con_hostile')
      // readline lists at the second that changes nothing.
      terminal.press('Tab', 'Tab')
      const screen = await terminal.sees(/hostile2/)
      expect(screen).toContain('hostile1')
      if (showsAbout) {
        expect(screen).toContain(NAME)
        expect(screen).toContain('two\\nlines')
      }
      expect(existsSync(join(home.HOME, 'owned'))).toBe(false)
    })
  })
}
