const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

export function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype html|html|head|body|!--)/i.test(text)
}

/** The title of a page, else what it shows; without its tags. */
export function htmlText(page: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.trim()
  const shown = title || page.replace(/<(style|script)\b.*?<\/\1>/gis, ' ').replace(/<[^>]*>/g, ' ')
  return shown.replace(/&(#?\w{1,8});/g, (entity, name: string) => ENTITIES[name] ?? entity)
}
