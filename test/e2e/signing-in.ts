import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Env, tempFolder } from '../harness/home.ts'
import { agree, SECRET } from '../oauth/authorization-server.ts'
import { openTerminal } from './terminal.ts'

const AGREE = fileURLToPath(new URL('../oauth/authorization-server.ts', import.meta.url))
/** The address stands on one line. */
const WIDE = { columns: 700, rows: 200 }

/** A desktop whose browser signs in at every address that it is given. `calls`: its command lines, and what it had in its environment. */
export function withBrowser(env: Env): { readonly env: Env; readonly calls: () => string } {
  const folder = tempFolder()
  const log = join(folder, 'calls')
  const program = join(folder, 'xdg-open')
  const script = `import('${AGREE}').then(async ({ agree }) => fetch(await agree(process.argv[1])))`
  writeFileSync(program, `#!/bin/sh\necho "$@" >>${log}\nenv >>${log}\nexec ${process.execPath} -e "${script}" "$1"\n`)
  chmodSync(program, 0o755)
  const calls = () => (existsSync(log) ? readFileSync(log, 'utf8') : '')
  return { env: { ...env, DISPLAY: ':99', PATH: `${folder}:${env.PATH}` }, calls }
}

/** One without a program that opens a browser. */
export function withoutOpener(env: Env): Env {
  const folder = tempFolder()
  for (const name of ['tmux', 'sh', 'sleep']) {
    const path = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    symlinkSync(path, join(folder, name))
  }
  return { ...env, DISPLAY: ':99', PATH: folder }
}

/** A login in a terminal, for which a person types what it asks for; gives all that it showed. */
export async function signInAtTerminal(
  words: readonly string[],
  env: Env,
  how: { readonly isPasted?: true; readonly answer?: 'n' } = {},
) {
  const terminal = openTerminal(words, env, WIDE)
  const shown = await terminal.sees(/Secret of the app|paste the address/)
  if (shown.includes('Secret of the app')) {
    terminal.type(SECRET)
    terminal.press('Enter')
    await terminal.sees('paste the address')
  }
  if (how.isPasted) {
    const [address = ''] = /http:\S+code_challenge=\S+/.exec(terminal.screen()) ?? []
    terminal.paste(`${await agree(address)}`)
    terminal.press('Enter')
  }
  const end = await terminal.sees(/exit=\d+|\[y\/N\]/)
  if (!end.includes('[y/N]')) return end
  terminal.type(how.answer ?? 'y')
  terminal.press('Enter')
  return terminal.sees(/exit=\d+/)
}
