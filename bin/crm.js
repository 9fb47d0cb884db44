#!/usr/bin/env node
// Node >= 22.19 runs the bundle here; an older one hands over to the runtime that a checkout pins.
const [major, minor] = process.versions.node.split('.').map(Number)
const isRecent = major > 22 || (major === 22 && minor >= 19)

try {
  await import(isRecent ? '../dist/main.js' : './hand-over.js')
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.url?.endsWith('/dist/main.js')) throw error
  process.stderr.write('crm is not built in this checkout yet\n  npm run build\n')
  process.exitCode = 13
}
