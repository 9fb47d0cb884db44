import type { Context } from '../../context.ts'
import { shellWord } from '../../core/shell-words.ts'

/** Reads a connector file, after rewriting one of an earlier version, whose text is kept beside it. No server is asked. */
export async function checkFile(ctx: Context, word: string): Promise<undefined> {
  const { connectorPath } = await import('../../api/connectors/open-connector.ts')
  const { connectorFileText, loadConnectorText, shippedText } = await import('../../connector/shipped.ts')
  const { isFormat1, rewriteFormat1 } = await import('../../connector/format-1.ts')
  const path = connectorPath(/[/\\.]/.test(word) ? word : `./${word}`, ctx.folder)
  const text = connectorFileText(path)
  if (!isFormat1(text)) {
    const { name } = await loadConnectorText(text, path)
    ctx.note(`${path} is the connector ${name}, without mistakes; crm connectors check without a file asks the server.`)
    return
  }
  const rewritten = rewriteFormat1(text, shippedText)
  await loadConnectorText(rewritten, path)
  const { writePrivateFile } = await import('../../files/replace-file.ts')
  const before = `${path}.format-1`
  await writePrivateFile(before, text)
  await writePrivateFile(path, rewritten)
  ctx.note(`${path} is rewritten in format 2; as it was: ${shellWord(before)}`)
}
