#!/usr/bin/env node
// Node >= 22.19 runs the bundle here; an older one hands over to the runtime that a checkout pins.
import { existsSync } from 'node:fs'

const [major, minor] = process.versions.node.split('.').map(Number)
const bundle = new URL('../dist/main.js', import.meta.url)

if (major < 22 || (major === 22 && minor < 19)) {
  await import('./hand-over.js')
} else if (existsSync(bundle)) {
  await import(bundle)
} else {
  process.stderr.write('crm is not built in this checkout yet\n  npm run build\n')
  process.exitCode = 13
}
