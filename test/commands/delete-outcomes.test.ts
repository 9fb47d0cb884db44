import { describe, expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { checkJsonOutput } from '../harness/json-output.ts'

/** Answers each deletion by what its id says, such as c_204 or c_404. */
async function startDeleting() {
  const { url } = await startServer((response, { path }) => {
    const status = Number(path.split('_').at(-1))
    if (status === 204) response.writeHead(204).end()
    else if (status === 0) response.destroy()
    else sendJson(response, status, { message: `no, ${status}` })
  })
  return emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789' })
}

async function remove(ids: readonly string[], more: readonly string[] = ['-o', 'json']) {
  const args = ['contacts', 'delete', ...ids, '--yes', '--expect', String(ids.length), '--max-wait', '0s', ...more]
  const ran = await crm(args, await startDeleting())
  checkJsonOutput(args, ran)
  return ran
}

describe('contacts delete of ids prints what became of each', () => {
  test('one id is an array of one too', async () => {
    const { exit, stdout } = await remove(['c_204'])
    expect({ exit, printed: JSON.parse(stdout) }).toEqual({ exit: 0, printed: [{ id: 'c_204', outcome: 'done' }] })
  })

  test('a refused row has its error, and the exit code is that without -o json', async () => {
    const { exit, stdout } = await remove(['c_404', 'c_1_204', 'c_409'])
    expect({ exit, printed: JSON.parse(stdout) }).toMatchObject({
      exit: 3,
      printed: [
        { id: 'c_404', outcome: 'failed', error: { code: 'not_found', status: 404 } },
        { id: 'c_1_204', outcome: 'done' },
        { id: 'c_409', outcome: 'failed', error: { code: 'conflict', message: expect.stringContaining('no, 409') } },
      ],
    })
    for (const id of ['c_404', 'c_410']) {
      const one = await remove([id])
      expect({ exit: one.exit, printed: JSON.parse(one.stdout) }).toMatchObject({
        exit: 6,
        printed: [{ outcome: 'failed', error: { code: 'not_found' } }],
      })
    }
  })

  test('an error that ends the run leaves a complete document, with the rest unsent', async () => {
    const { exit, stdout, stderr } = await remove(['c_204', 'c_401', 'c_2_204'])
    expect({ exit, printed: JSON.parse(stdout) }).toMatchObject({
      exit: 4,
      printed: [{ outcome: 'done' }, { outcome: 'failed', error: { code: 'unauthorized' } }, { outcome: 'unsent' }],
    })
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'unauthorized' } })
  })

  test('one whose answer never came is in doubt', async () => {
    const { stdout } = await remove(['c_0'])
    expect(JSON.parse(stdout)).toMatchObject([{ id: 'c_0', outcome: 'in_doubt' }])
  })

  test('-o id prints those that were deleted, a table nothing, and no ids are an empty array', async () => {
    expect(await remove(['c_404', 'c_204'], ['-o', 'id'])).toMatchObject({ exit: 3, stdout: 'c_204\n' })
    expect(await remove(['c_204'], [])).toEqual({ exit: 0, stdout: '', stderr: 'Deleted contact c_204.\n' })
    const none = await crm(['contacts', 'delete', '-', '--yes', '-o', 'json'], await startDeleting())
    expect(none).toEqual({ exit: 0, stdout: '[]\n', stderr: 'No ids on stdin: nothing to delete.\n' })
  })
})
