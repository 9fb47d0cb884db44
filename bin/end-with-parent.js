/**
 * Ends this process when the one that handed over to it is gone: nothing else stops it after a kill -9 of crm. The pipe
 * ends then; Node closes it, like all that it inherits, in the processes that this one starts.
 */
function endWithParent() {
  const fd = Number(process.env.CRM_HANDED_OVER)
  delete process.env.CRM_HANDED_OVER
  const end = () => process.kill(process.pid, 'SIGKILL')
  const { Socket } = require('node:net')
  new Socket({ fd, readable: true, writable: false }).on('end', end).on('error', end).resume().unref()
}

module.exports = { endWithParent }
