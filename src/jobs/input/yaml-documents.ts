import { type Document, isNode, isSeq, type Node, parseAllDocuments, type ScalarTag } from 'yaml'
import { parseExactJson } from '../../core/json.ts'

/**
 * Only numbers of JSON are numbers: `0151`, `+49151` and `0x1F`, which are numbers in YAML, stay text, because they may be
 * phone numbers.
 */
const JSON_NUMBER: ScalarTag = {
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/,
  resolve: (text) => parseExactJson(text),
}

/** Errors are in the documents; numbers keep their digits. */
export function parseYamlDocuments(text: string): readonly Document[] {
  return [...parseAllDocuments(text, { schema: 'failsafe', customTags: ['null', 'bool', JSON_NUMBER], version: '1.2' })]
}

/** The items of a list, or the single value; none for an empty document. */
export function itemsOf({ contents }: Document): readonly Node[] {
  if (isSeq(contents)) return contents.items.filter(isNode)
  return isNode(contents) && contents.range?.[0] !== contents.range?.[1] ? [contents] : []
}

export function isBlockList({ contents }: Document): boolean {
  return isSeq(contents) && contents.flow !== true
}

/** Converts the YAML text of one item to JSON. */
export function yamlToJson(text: string): string {
  const [document] = parseYamlDocuments(text)
  const [node] = document ? itemsOf(document) : []
  return JSON.stringify(document && node?.toJS(document))
}
