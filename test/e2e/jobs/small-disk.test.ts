import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { describe, expect, test, vi } from 'vitest'
import { type Env, tempFolder } from '../../harness/home.ts'
import { emailsOf, emailsOn, somePeople, writePeople } from '../../harness/import-run.ts'
import { CRM } from '../crm.ts'
import { startService } from '../service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

/** In a mount namespace of its own, so that nothing of it is seen or left. */
const CAN_MOUNT = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'disk', tmpdir()]).status === 0

const ROWS = 2000

/** A disk for the job folder alone, which ends with the script. */
function onDisk(options: string, script: string, env: Env) {
  const disk = tempFolder()
  const mount = `mount -t tmpfs -o mode=700,${options} disk "$DISK" || exit; crm() { "$NODE" "$CRM" "$@"; }; ${script}`
  const added = { ...env, DISK: disk, CRM_STATE_HOME: disk, NODE: process.execPath, CRM }
  const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', mount], { env: added, encoding: 'utf8' })
  return { stdout, stderr }
}

describe.skipIf(!CAN_MOUNT)('on a small disk of its own (skipped where the tests may not mount one)', () => {
  test('that is too small for the plan, an import is exit 13 and sends nothing', async () => {
    const service = await startService(['--rate-limit', 'none'])
    const file = writePeople(tempFolder(), somePeople(ROWS))
    const script = 'crm contacts import "$FILE" --yes; echo "exit $?"'
    const { stdout, stderr } = onDisk('size=64k', script, { ...service.env, FILE: file })
    expect(stdout).toBe('exit 13\n')
    expect(stderr).toMatch(/no space|full/)
    expect(await emailsOn(service)).toEqual([])
  })

  test('that fills up while sending, the job stops with exit 13, and ends once there is space', async () => {
    const service = await startService(['--rate-limit', 'none'])
    const people = somePeople(4 * ROWS)
    const file = writePeople(tempFolder(), people)
    const script = [
      'crm contacts import "$FILE" --yes -o json & import=$!',
      'until [ -s "$(echo "$DISK"/jobs/job_*.db-wal)" ]; do sleep 0.05; done',
      'dd if=/dev/zero of="$DISK/ballast" bs=1k 2>/dev/null',
      'wait $import; echo "exit $?"',
      'rm "$DISK/ballast"',
      'crm jobs resume "$(basename "$DISK"/jobs/job_*.db .db)" -o json; echo "exit $?"',
    ].join('; ')
    const { stdout, stderr } = onDisk('size=8m', script, { ...service.env, FILE: file })
    expect(stderr).toMatch(/no space|full/)
    expect(stdout.split('\n').filter((line) => line.startsWith('exit'))).toEqual(['exit 13', 'exit 0'])
    expect(await emailsOn(service)).toEqual(emailsOf(people))
  })

  test('that fills up between plan and last result is never reported as a bug, and the import continues', async () => {
    const people = somePeople(700)
    const file = writePeople(tempFolder(), people)
    for (const size of [136, 160]) {
      const service = await startService(['--rate-limit', 'none'])
      const script = [
        'crm contacts import "$FILE" --yes; echo "exit $?"',
        'mount -o remount,size=8m "$DISK"',
        'crm contacts import "$FILE" --yes; echo "exit $?"',
      ].join('; ')
      const { stdout, stderr } = onDisk(`size=${size}k`, script, { ...service.env, FILE: file })
      expect(stderr).not.toContain('bug')
      expect(stdout.split('\n').filter((line) => line.startsWith('exit'))).toEqual([
        expect.stringMatching(/^exit (0|13)$/),
        'exit 0',
      ])
      expect(await emailsOn(service)).toEqual(emailsOf(people))
    }
  })

  test('that is read-only, an import is exit 13, names the folder and sends nothing', async () => {
    const service = await startService(['--rate-limit', 'none'])
    const file = writePeople(tempFolder(), somePeople(5))
    const script = 'crm contacts import "$FILE" --yes; echo "exit $?"'
    const { stdout, stderr } = onDisk('size=64k,ro', script, { ...service.env, FILE: file })
    expect(stdout).toBe('exit 13\n')
    expect(stderr).toContain('read-only')
    expect(await emailsOn(service)).toEqual([])
  })
})
