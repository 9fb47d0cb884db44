import type { Env } from './streams.ts'

/** The environment for a program that needs no key, and would pass it on to its children. */
export function withoutKey({ CRM_API_KEY: _, ...others }: Env): Env {
  return others
}
