import { readFileSync } from 'node:fs'
import { serveObjects } from '../../scripts/clients/conformance/serve.ts'
import { SUITE_FOLDER } from '../../scripts/clients/conformance/suite.ts'

/** The examples in this language of a page. */
export function examplesIn(page: string, language: string): readonly string[] {
  const blocks = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')
  return [...readFileSync(page, 'utf8').matchAll(blocks)].map(([, code = '']) => code)
}

/** Calls `use` with the variables that lead a client to a service of its own. */
export async function withService(use: (env: Readonly<Record<string, string>>) => Promise<void>): Promise<void> {
  const { baseUrl, apiKey, close } = await serveObjects(`${SUITE_FOLDER}objects.yaml`)
  try {
    await use({ CRM_BASE_URL: baseUrl, CRM_API_KEY: apiKey })
  } finally {
    await close()
  }
}
