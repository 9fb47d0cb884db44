// express publishes no types of its own; these are the parts that the tests use.

declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Response extends ServerResponse {
    status(code: number): Response
    json(value: unknown): Response
  }
  type Handler = (request: IncomingMessage, response: Response) => void
  interface App {
    (request: IncomingMessage, response: ServerResponse): void
    use(middleware: unknown): void
    get(path: string, handler: Handler): void
    post(path: string, handler: Handler): void
    delete(path: string, handler: Handler): void
  }
  // biome-ignore lint/style/noDefaultExport: a CommonJS module has nothing else
  export default function express(): App
}
