import { createHash } from 'node:crypto'
import type { RouteReply } from '../route.ts'
import { SCHEMA_TEXT } from './types.ts'

const STYLE = `
  body { font: 14px system-ui, sans-serif; margin: 1rem; display: grid; grid-template-columns: 1fr 1fr; gap: 0.5rem 1rem; }
  header, details { grid-column: 1 / 3; }
  textarea, pre, input { font: 13px ui-monospace, monospace; box-sizing: border-box; width: 100%; }
  #query { height: 40vh; } #variables { height: 12vh; } #result { height: 55vh; overflow: auto; margin: 0; border: 1px solid; }
`

/** The key stays in the page's memory. Answers are shown as text, with exact digits where the browser supports it. */
const SCRIPT = `
  const at = (id) => document.getElementById(id)
  const exact = (key, value, context) =>
    JSON.rawJSON && typeof value === 'number' && context?.source ? JSON.rawJSON(context.source) : value
  const run = async () => {
    at('result').textContent = '…'
    try {
      const answer = await fetch(location.pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer ' + at('key').value.trim() },
        body: JSON.stringify({ query: at('query').value, variables: JSON.parse(at('variables').value || '{}', exact) }),
      })
      const text = await answer.text()
      try { at('result').textContent = JSON.stringify(JSON.parse(text, exact), null, 2) } catch { at('result').textContent = text }
    } catch (error) {
      at('result').textContent = String(error)
    }
  }
  at('run').addEventListener('click', run)
  addEventListener('keydown', (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run() })
`

const EXAMPLE = `{
  deals(first: 10) {
    nodes { id name stage amount notes(first: 3) { nodes { body } } }
    pageInfo { hasNextPage endCursor }
  }
}`

/** A page for queries that loads nothing from the network; GraphiQL would add 5 MB. */
export function graphqlPage(): RouteReply {
  const policy = `default-src 'none'; connect-src 'self'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'`
  return {
    status: 200,
    body: pageText(),
    headers: { 'content-security-policy': `${policy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'` },
    type: 'text/html; charset=utf-8',
  }
}

function pageText(): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>crm GraphQL</title><style>${STYLE}</style></head><body>
<header><label>Key (crm auth token -p local) <input id="key" type="password" autocomplete="off"></label></header>
<div><label>Query <textarea id="query" spellcheck="false">${escaped(EXAMPLE)}</textarea></label>
<label>Variables (JSON) <textarea id="variables" spellcheck="false">{}</textarea></label>
<button id="run">Run (Ctrl-Enter)</button></div>
<div>Answer<pre id="result" aria-label="answer"></pre></div>
<details><summary>Schema</summary><pre>${escaped(SCHEMA_TEXT)}</pre></details>
<script>${SCRIPT}</script></body></html>
`
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
