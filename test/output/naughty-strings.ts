import corpus from 'big-list-of-naughty-strings' with { type: 'json' }

/** Text that has broken software somewhere: the corpus big-list-of-naughty-strings, and what a CRM meets besides. */
export const NAUGHTY: readonly string[] = [
  ...corpus,
  '\x1b[2J\x1b]0;owned\x07',
  'a\r\nb\tc\\d"e,f;g',
  '\u202egnp.exe',
  'e\u0301\u0301\u0301',
  '日本語 👩‍💻 🇩🇪',
  'x'.repeat(10_000),
  ' both ends ',
  '\u0000\u0085\u2028\ufeff',
  "'=1+1",
  '2026-01-01',
  '1e3',
  '0x1F',
  '12:30:45',
  '<<',
  'No',
]
