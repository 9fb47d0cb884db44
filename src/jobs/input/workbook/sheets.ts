import { CrmError } from '../../../core/errors.ts'
import { inputName } from '../input-file.ts'
import { attributeOf } from './scan-xml.ts'
import { type WorkbookParts, workbookError } from './workbook-parts.ts'

export interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  /** In the archive; undefined for a chart, which has no cells. */
  readonly path: string | undefined
}

export interface WorkbookIndex {
  readonly sheets: readonly Sheet[]
  readonly is1904: boolean
  readonly sharedStrings: string | undefined
  readonly styles: string | undefined
}

interface Relation {
  /** The last part of its type, such as `worksheet`. */
  readonly kind: string
  readonly path: string
}

/** The index of a workbook; CrmError `invalid_input` for an archive that is none. */
export async function readIndex(parts: WorkbookParts, name: string): Promise<WorkbookIndex> {
  if (!parts.has('[Content_Types].xml')) throw notWorkbook(parts, name)
  const main = [...(await relationsOf(parts, '')).values()].find(({ kind }) => kind === 'officeDocument')?.path
  if (main === undefined) throw notWorkbook(parts, name)
  if (main.endsWith('.bin')) {
    throw workbookError(name, { what: 'a binary workbook (xlsb), which crm does not read', hint: SAVE_AS })
  }
  const relations = await relationsOf(parts, main)
  const sheets: Sheet[] = []
  let [is1904, isWorkbook] = [false, false]
  await parts.scan(main, {
    open(element, attributes) {
      if (element === 'workbook') isWorkbook = true
      if (element === 'workbookPr') is1904 = /^(?:1|true|on)$/.test(attributeOf(attributes, 'date1904') ?? '')
      if (element === 'sheet') sheets.push(sheetOf(attributes, relations))
    },
  })
  if (!isWorkbook) throw notWorkbook(parts, name)
  const pathOf = (wanted: string) => [...relations.values()].find(({ kind }) => kind === wanted)?.path
  return { sheets, is1904, sharedStrings: pathOf('sharedStrings'), styles: pathOf('styles') }
}

function sheetOf(attributes: string, relations: ReadonlyMap<string, Relation>): Sheet {
  const relation = relations.get(relationId(attributes) ?? '')
  return {
    name: attributeOf(attributes, 'name') ?? '',
    isHidden: (attributeOf(attributes, 'state') ?? 'visible') !== 'visible',
    path: relation?.kind === 'worksheet' ? relation.path : undefined,
  }
}

/** `r:id`, whatever the prefix; `sheetId` is another attribute. */
function relationId(attributes: string): string | undefined {
  return /\s[\w.-]+:id\s*=\s*["']([^"']*)/.exec(attributes)?.[1]
}

async function relationsOf(parts: WorkbookParts, part: string): Promise<ReadonlyMap<string, Relation>> {
  const at = part.lastIndexOf('/') + 1
  const [folder, file] = [part.slice(0, at), part.slice(at)]
  const relations = new Map<string, Relation>()
  await parts.scan(`${folder}_rels/${file}.rels`, {
    open(element, attributes) {
      if (element !== 'Relationship' || attributeOf(attributes, 'TargetMode') === 'External') return
      const kind = (attributeOf(attributes, 'Type') ?? '').split('/').at(-1) ?? ''
      const path = pathFrom(folder, attributeOf(attributes, 'Target') ?? '')
      relations.set(attributeOf(attributes, 'Id') ?? '', { kind, path })
    },
  })
  return relations
}

/** Inside the archive alone: `..` above its root stays there. */
function pathFrom(folder: string, target: string): string {
  return new URL(target.replaceAll('\\', '/'), `archive://root/${folder}`).pathname.slice(1)
}

const SAVE_AS = 'save it as xlsx, or as CSV UTF-8, and import that'

function notWorkbook(parts: WorkbookParts, name: string): CrmError {
  const isOpenDocument = parts.has('content.xml') && parts.has('mimetype')
  const what = isOpenDocument
    ? 'an OpenDocument spreadsheet (ods), which crm does not read'
    : 'an archive that is no workbook'
  return workbookError(name, { what, hint: isOpenDocument ? SAVE_AS : 'expected xlsx, or text such as CSV' })
}

/** `--sheet` by name or by number from 1; without it the first that is not hidden. */
export function chooseSheet(
  { sheets }: WorkbookIndex,
  wanted: string | undefined,
  name: string,
): Sheet & { path: string } {
  const found = wanted === undefined ? firstShown(sheets) : (sheetNamed(sheets, wanted) ?? sheets[Number(wanted) - 1])
  if (!found) {
    if (wanted === undefined) throw workbookError(name, { what: 'it has no sheet with cells' })
    throw new CrmError('usage', `--sheet ${JSON.stringify(wanted)}: ${inputName(name)} has no such sheet`, {
      hint: `its sheets are ${sheets
        .map((sheet) => JSON.stringify(sheet.name))
        .slice(0, 20)
        .join(', ')}`,
    })
  }
  const { path } = found
  if (path === undefined) {
    throw new CrmError('usage', `the sheet ${JSON.stringify(found.name)} of ${inputName(name)} has no cells`, {
      hint: 'a chart cannot be imported; --sheet names another sheet',
    })
  }
  return { ...found, path }
}

function firstShown(sheets: readonly Sheet[]): Sheet | undefined {
  const cells = sheets.filter(({ path }) => path !== undefined)
  return cells.find(({ isHidden }) => !isHidden) ?? cells[0]
}

function sheetNamed(sheets: readonly Sheet[], wanted: string): Sheet | undefined {
  const folded = wanted.toLowerCase()
  return sheets.find((sheet) => sheet.name === wanted) ?? sheets.find((sheet) => sheet.name.toLowerCase() === folded)
}
