/** Prints which modules of Node a process has loaded by its end, those that cost a start something. */
const COSTLY = /^NativeModule (?:child_process|crypto|http|http2|https|readline|tls|worker_threads|zlib)$/

process.on('exit', () => {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] }
  process.stderr.write(`loaded: ${moduleLoadList.filter((name) => COSTLY.test(name)).join(', ')}\n`)
})
