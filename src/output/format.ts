export const FORMATS = ['table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id'] as const

export type Format = (typeof FORMATS)[number]
