import type { Env } from './streams.ts'

/** For a program that needs no key: it would pass the key on to all that it starts. */
export function withoutKey({ CRM_API_KEY: _, ...others }: Env): Env {
  return others
}
