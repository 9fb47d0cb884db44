import type { Reply, Route } from '../route.ts'

/** Open to everyone: it says what the service is, and nothing of what it holds. */
export function openapiRoutes(version: string): readonly Route[] {
  let body: Promise<string> | undefined
  const handle = async (): Promise<Reply> => {
    body ??= import('../openapi/document.ts').then(({ openapiDocument }) => JSON.stringify(openapiDocument(version)))
    return { status: 200, body: await body, headers: {} }
  }
  return [{ method: 'GET', path: '/v1/openapi.json', scope: undefined, parameters: [], handle }]
}
