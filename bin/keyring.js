// Asks the system keyring, as a process of its own: the binding connects in a constructor, and a service that does not
// answer would hold a thread for ever, its event loop with it.
const { runKeyringTask } = require('./keyring-task.js')

void runKeyringTask(() => import('@napi-rs/keyring'))
