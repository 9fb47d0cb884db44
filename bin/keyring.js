// Asks the system keyring, as a process of its own: the binding connects in a constructor, and a service that does not
// answer would hold a thread for ever, its event loop with it. What is to be done comes on stdin, because argv is public.
const SERVICE = 'crm'

async function answerTask() {
  let request = ''
  for await (const chunk of process.stdin) request += chunk
  process.stdout.write(JSON.stringify(await answer(JSON.parse(request))))
}

async function answer({ task, account, secret }) {
  let Entry
  try {
    Entry = (await import('@napi-rs/keyring')).Entry
  } catch (error) {
    return {
      trouble:
        error.code === 'ERR_MODULE_NOT_FOUND'
          ? 'its package is not installed: npm install -g @napi-rs/keyring'
          : error.message,
    }
  }
  try {
    // Without it, a machine without Secret Service would keep keys in the kernel, and forget them with the next start.
    const entry = new Entry(SERVICE, account, { linux: { store: 'secret-service' } })
    if (task === 'write') entry.setPassword(secret)
    if (task === 'remove') return { value: entry.deleteCredential() }
    return { value: task === 'read' ? entry.getPassword() : null }
  } catch (error) {
    return { trouble: error.message }
  }
}

void answerTask()
