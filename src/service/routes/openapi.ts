import type { Reply, Route } from '../route.ts'

/** Public: the document describes the service and contains no data. */
export function openapiRoutes(version: string): readonly Route[] {
  let body: Promise<string> | undefined
  const handle = async (): Promise<Reply> => {
    body ??= import('../openapi/document.ts').then(({ openapiDocument }) => JSON.stringify(openapiDocument(version)))
    return { status: 200, body: await body, headers: {} }
  }
  return [{ method: 'GET', path: '/v1/openapi.json', scope: undefined, parameters: [], handle }]
}
