import { crc32, deflateRawSync } from 'node:zlib'

export interface ArchiveFile {
  readonly name: string
  readonly data: string | Buffer
  /** Stated instead of the real size. */
  readonly size?: number
}

/** A zip archive of these files, as spreadsheet programs write them. */
export function archiveOf(files: readonly ArchiveFile[]): Buffer {
  const [locals, centrals] = [[] as Buffer[], [] as Buffer[]]
  let offset = 0
  for (const { name, data, size } of files) {
    const bytes = Buffer.from(data)
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size ?? bytes.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, rest, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, central, end])
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'

function relations(entries: readonly (readonly [string, string])[]): string {
  const all = entries.map(
    ([kind, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
  )
  return `<Relationships>${all.join('')}</Relationships>`
}

export interface Book {
  /** The rows of the sheet, as XML. */
  readonly rows: string
  /** XML after the rows. */
  readonly after?: string
  readonly shared?: string
  readonly styles?: string
  readonly workbookPr?: string
  /** More files, or others in the place of these. */
  readonly files?: readonly ArchiveFile[]
}

/** A workbook of one sheet, `Leads`. */
export function bookOf({ rows, after = '', shared = '', styles = '', workbookPr = '', files = [] }: Book): Buffer {
  const own: ArchiveFile[] = [
    { name: '[Content_Types].xml', data: '<Types/>' },
    { name: '_rels/.rels', data: relations([['officeDocument', 'xl/workbook.xml']]) },
    {
      name: 'xl/workbook.xml',
      data: `<?xml version="1.0"?><workbook ${MAIN} xmlns:r="${OFFICE}">${workbookPr}<sheets><sheet name="Leads" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: relations([
        ['worksheet', 'worksheets/sheet1.xml'],
        ['sharedStrings', '/xl/sharedStrings.xml'],
        ['styles', 'styles.xml'],
      ]),
    },
    { name: 'xl/sharedStrings.xml', data: `<sst ${MAIN}>${shared}</sst>` },
    { name: 'xl/styles.xml', data: `<styleSheet ${MAIN}>${styles}</styleSheet>` },
    { name: 'xl/worksheets/sheet1.xml', data: `<worksheet ${MAIN}><sheetData>${rows}</sheetData>${after}</worksheet>` },
  ]
  return archiveOf([...own.filter(({ name }) => !files.some((file) => file.name === name)), ...files])
}

/** A row of texts. */
export function textRow(row: number, texts: readonly string[]): string {
  const cells = texts.map((text, at) => `<c r="${'ABCDEFGH'[at]}${row}" t="inlineStr"><is><t>${text}</t></is></c>`)
  return `<row r="${row}">${cells.join('')}</row>`
}
