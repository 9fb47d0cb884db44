import { spawnSync } from 'node:child_process'
import { judgeAudit } from './judge-audit.ts'
import { shippedPackages } from './shipped-packages.ts'

/**
 * `npm run audit`: known vulnerabilities in what reaches who installs crm, bundled packages among it, which `npm audit --omit=dev` takes for
 * tools of development. Fails when there is one; that the registry cannot be asked is said, and is no failure.
 */
const npm = process.env.npm_execpath
const command = npm === undefined ? ['npm'] : [process.execPath, npm]
const { stdout, stderr } = spawnSync(command[0] ?? 'npm', [...command.slice(1), 'audit', '--json'], {
  encoding: 'utf8',
})
const packages = shippedPackages()
const verdict = judgeAudit(stdout.trim() || '{}', new Set(packages.map(({ path }) => path)))

if (!verdict) {
  console.log(`npm audit cannot be asked here, so that nothing is known of ${packages.length} packages: ${reason()}`)
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
