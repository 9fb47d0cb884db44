/** Makes crm throw where nothing catches it: in the handler of the key ß, and at SIGUSR2 in a promise that nothing waits for. */
const { segment } = Intl.Segmenter.prototype

Intl.Segmenter.prototype.segment = function (text) {
  if (text.includes('ß')) throw new Error('broken by the test')
  return segment.call(this, text)
}

process.on('SIGUSR2', () => void Promise.reject(new Error('broken by the test')))
