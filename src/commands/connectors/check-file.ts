import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'

/** Reads a connector file, after rewriting one of an earlier version, whose text is kept beside it. No server is asked. */
export async function checkFile(ctx: Context, word: string): Promise<undefined> {
  const { connectorFileText, loadConnectorText, shippedText } = await import('../../connector/shipped.ts')
  const { isFormat1, rewriteFormat1 } = await import('../../connector/format-1.ts')
  const path = resolve(ctx.folder ?? '.', word)
  const text = connectorFileText(path)
  if (!isFormat1(text)) {
    const { name } = await loadConnectorText(text, path)
    ctx.note(`${path} is the connector ${name}, without mistakes; crm connectors check without a file asks the server.`)
    return
  }
  const rewritten = rewriteFormat1(text, shippedText)
  await loadConnectorText(rewritten, path)
  const { replaceFile } = await import('../../files/replace-file.ts')
  const before = `${path}.format-1`
  if (existsSync(before) && connectorFileText(before) !== text) {
    throw new CrmError('unconfirmed', `${before} exists, and would be lost: nothing was rewritten`, {
      hint: `mv ${shellWord(before)} ${shellWord(`${before}.earlier`)} && crm connectors check ${shellWord(path)}`,
    })
  }
  for (const [file, content] of [[before, text] as const, [path, rewritten] as const])
    await replaceFile(file, async ({ stream }) => void stream.write(content))
  ctx.note(`${path} is rewritten in format 2; as it was: ${shellWord(before)}`)
}
