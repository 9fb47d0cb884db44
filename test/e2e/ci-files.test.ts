import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { CRM } from './crm.ts'

// The files of examples/ci, without what a container engine or GitHub adds: docs/ci.md says what that is.

const run = promisify(execFile)
const CI = fileURLToPath(new URL('../../examples/ci', import.meta.url))
const read = (name: string) => parse(readFileSync(join(CI, name), 'utf8'))

/** A folder with demo.yaml, whose `npm test` lists the contacts, and `crm` in PATH. */
function checkout() {
  const [cwd, bin, TMPDIR] = [tempFolder(), tempFolder(), tempFolder()]
  copyFileSync(join(CI, 'demo.yaml'), join(cwd, 'demo.yaml'))
  mkdirSync(join(cwd, '.git'))
  writeFileSync(join(cwd, 'package.json'), '{"scripts":{"test":"crm contacts get $ADA_ID --jq .name"}}')
  writeFileSync(join(bin, 'crm'), `#!/bin/sh\nexec '${process.execPath}' '${CRM}' "$@"\n`)
  chmodSync(join(bin, 'crm'), 0o755)
  const node = process.execPath.replace(/\/[^/]*$/, '')
  return { cwd, env: { ...emptyHome({ TMPDIR }), PATH: `${bin}:${node}:${process.env.PATH}` }, TMPDIR }
}

const hasNamespaces = spawnSync('unshare', ['--mount', '--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0

test.skipIf(!hasNamespaces)(
  'compose.yaml: another container finds the CRM by its name, when it is healthy',
  async () => {
    const { cwd, env } = checkout()
    const { crm, test } = read('compose.yaml').services
    const [, ...healthy] = crm.healthcheck.test
    const words = crm.command.map((word: string) => word.replace('/fixtures', cwd))
    expect(words).toContain(join(cwd, 'demo.yaml'))
    const quoted = (list: readonly string[]) => list.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
    const variables = (of: object) => quoted(Object.entries(of).map(([name, value]) => `${name}=${value}`))
    // In a network of its own, where the name of the service is an address that is no loopback one.
    const script = `set -e
    ip link set lo up; ip address add 10.9.9.2/32 dev lo
    echo '10.9.9.2 crm' > hosts; mount --bind hosts /etc/hosts
    env ${variables(crm.environment)} crm ${quoted(words)} > ready.json & pid=$!
    n=0; until ${quoted(healthy)}; do n=$((n + 1)); [ $n -lt ${crm.healthcheck.retries} ]; sleep 0.2; done
    env ${variables(test.environment)} ${quoted([...test.entrypoint, ...test.command])}
    kill $pid; wait $pid`
    const { stdout } = await run('unshare', ['--mount', '--net', 'sh', '-c', script], { cwd, env })
    expect(stdout).toMatch(/^con_\w+\n$/)
  },
)

interface Step {
  readonly run?: string
}

/** What `GITHUB_ENV` gives to the steps that follow. */
function variablesIn(file: string): Record<string, string> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)<<(\S+)\n((?:.|\n)*?)\n\2\n/gm)].map(([, name = '', , value = '']) => [name, value]),
  )
}

test.each(['sandbox', 'steps', 'shared'])(
  'workflow.yml: the job %s does what it says, and leaves nothing',
  async (job) => {
    const service = await serveForTest()
    const { cwd, env, TMPDIR } = checkout()
    const GITHUB_ENV = join(cwd, 'github-env')
    const github = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '1', GITHUB_JOB: job, GITHUB_ENV }
    const ofJob = job === 'shared' ? { CRM_BASE_URL: service.url, CRM_API_KEY: service.key.text } : {}
    const printed: string[] = []
    for (const step of read('workflow.yml').jobs[job].steps as readonly Step[]) {
      // The tests of the package install it.
      if (step.run === undefined || step.run.startsWith('npm install')) continue
      const { stdout } = await run('sh', ['-ec', step.run], {
        cwd,
        env: { ...env, ...github, ...ofJob, ...variablesIn(GITHUB_ENV) },
      })
      printed.push(stdout)
    }
    expect(printed.join('')).toMatch(
      { sandbox: /Ada Lovelace/, steps: /^con_\w+\n$/m, shared: /Ada Lovelace/ }[job] ?? /never/,
    )
    expect((await service.send('GET', '/v1/contacts')).json.data).toEqual([])
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith('crm-sandbox'))).toEqual([])
  },
)
