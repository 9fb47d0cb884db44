export const FORMATS = ['table', 'json', 'jsonl', 'id'] as const

export type Format = (typeof FORMATS)[number]
