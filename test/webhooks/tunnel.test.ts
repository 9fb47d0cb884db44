import { expect, test } from 'vitest'
import { openPublicTunnel } from '../../src/webhooks/tunnel.ts'

test('a tunnel gets the environment of the command without the key', async () => {
  const said: string[] = []
  const { url, stop } = await openPublicTunnel({
    name: 'tunnel',
    words: ['sh', '-c', 'env; echo https://abc.example; sleep 60'],
    env: { PATH: process.env.PATH, CRM_API_KEY: 'crm_key_of_nobody', CRM_PROFILE: 'staging' },
    say: (line) => said.push(line),
    timeoutMs: 10_000,
    signal: new AbortController().signal,
  })
  await stop()
  expect(url.href).toBe('https://abc.example/')
  expect(said).toContain('CRM_PROFILE=staging')
  expect(said.join('\n')).not.toContain('CRM_API_KEY')
})
