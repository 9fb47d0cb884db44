import { expect, test } from 'vitest'
import { runKeyCommand } from '../../src/settings/key-command.ts'

const env = { PATH: process.env.PATH, CRM_API_KEY: 'another-key' }
const run = (command: string, timeoutMs?: number) => runKeyCommand(command, 'prod', env, timeoutMs)

test('the first line is the key, and the command runs without a shell', async () => {
  expect(await run(`printf 'the-key\\r\\nsecond'`)).toBe('the-key')
  expect(await run('echo $HOME;id')).toBe('$HOME;id')
})

test('the command gets neither CRM_API_KEY nor stdin', async () => {
  expect(await run(`sh -c 'cat; echo "<$CRM_API_KEY>"'`)).toBe('<>')
})

test.each([
  [`sh -c 'echo secret; echo "no entry" >&2; exit 7'`, 'sh, ended with exit 7: no entry'],
  ['/nonexistent/pass show', '/nonexistent/pass, cannot be run: no such program'],
  ['true', 'true, printed no key'],
  [`sh -c 'kill -9 $$'`, 'sh, ended with SIGKILL'],
])('%s does not count as a key', async (command, what) => {
  const message = `the key_command of profile prod, ${what}`
  await expect(run(command)).rejects.toMatchObject({ code: 'no_key', exit: 4, message })
})

test('a command that takes too long is killed, also when its child process lives on', async () => {
  const startMs = performance.now()
  const message = expect.stringContaining('took longer than 0.3 s')
  await expect(run(`sh -c 'sleep 5 & sleep 5'`, 300)).rejects.toMatchObject({ code: 'no_key', message })
  expect(performance.now() - startMs).toBeLessThan(4000)
})
