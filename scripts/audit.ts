import { spawnSync } from 'node:child_process'
import { judgeAudit, shippedPackages } from './shipped-packages.ts'

/**
 * `npm run audit`: reports known vulnerabilities in everything that an installation contains, including bundled packages, which
 * `npm audit --omit=dev` takes for development tools. Fails if there is one; an unavailable registry is reported, and does not
 * fail.
 */
const npm = process.env.npm_execpath
const command = npm === undefined ? ['npm'] : [process.execPath, npm]
const { stdout, stderr } = spawnSync(command[0] ?? 'npm', [...command.slice(1), 'audit', '--json'], {
  encoding: 'utf8',
})
const packages = shippedPackages()
const verdict = judgeAudit(stdout.trim() || '{}', new Set(packages.map(({ path }) => path)))

if (!verdict) {
  console.log(`npm audit is not available, so ${packages.length} packages were not checked: ${reason()}`)
} else {
  const { shipped, others } = verdict
  if (others.length > 0) console.log(`in development only: ${others.join(', ')}`)
  console.log(`${packages.length} shipped packages, vulnerable: ${shipped.join(', ') || 'none known'}`)
  process.exitCode = shipped.length > 0 ? 1 : 0
}

function reason(): string {
  const { message = stderr.trim() }: { message?: string } = JSON.parse(stdout.trim() || '{}')
  return message.split('\n')[0] || 'it printed nothing'
}
