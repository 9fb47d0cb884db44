import fc from 'fast-check'
import { expect, it } from 'vitest'
import { htmlOf, textOfHtml, withoutEntities } from '../../src/core/html.ts'

it('is read back as the text that was written, whatever it holds', () => {
  const parts = fc.array(
    fc.constantFrom('<', '>', '&', '&amp;', '<br>', '<script>', '<!--', '\n', ' ', 'lt;', '"', 'é'),
  )
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    parts.map((all) => all.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      expect(textOfHtml(htmlOf(text))).toBe(text.replace(/\r\n?/g, '\n'))
    }),
  )
})

it.each([
  ['plain', 'plain'],
  ['Fish &amp; chips &lt;3', 'Fish & chips <3'],
  ['a & b < c', 'a & b < c'],
  ['<p>Called</p>\n<p>Wrote <b>again</b></p>', 'Called\nWrote again'],
  ['<p>a</p><p><br></p><p>b</p>', 'a\n\nb'],
  ['a<br/>b<BR />c', 'a\nb\nc'],
  ['<ul><li>one</li><li>two</li></ul>', 'one\ntwo'],
  ['<script>alert("<p>x</p>")</script>y<!-- <b>z</b> -->', 'y'],
  ['<a href="https://x.test/?a=1&amp;b=2">site</a>', 'site'],
  ['a<!-- no end', 'a'],
  ['one\ntwo &amp; three', 'one\ntwo & three'],
])('%j shows %j', (html, text) => {
  expect(textOfHtml(html)).toBe(text)
})

it.each([
  ['&quot;&apos;&#39;&#x27;', `"'''`],
  ['&Auml;&szlig;&yuml;&nbsp;&euro;', 'Äßÿ\u00a0€'],
  ['&#0;&#55296;&#1114112;&unknown;&', '&#0;&#55296;&#1114112;&unknown;&'],
  ['&amp;lt;', '&lt;'],
])('the entities %j are %j', (html, text) => {
  expect(withoutEntities(html)).toBe(text)
})

it('reads hostile HTML in a time that grows with its length alone', () => {
  const startMs = performance.now()
  for (const part of ['<a ', '<!--', '<script>', '&#', '<br', '-->']) textOfHtml(part.repeat(100_000))
  expect(performance.now() - startMs).toBeLessThan(5000)
})
