const { chmodSync, lstatSync, mkdirSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { dirname, isAbsolute, join } = require('node:path')

const FOR_OWNER = 0o700
/** Of the group and of others. */
const FOR_OTHERS = 0o077

/**
 * Node keeps what it compiled of the build in a folder of this user alone, and reads it in later runs. That code runs, so a folder that
 * another user owns or can enter is not used; nor is one made in the home of another user, which `sudo` keeps. Without user ids (Windows)
 * there is none. What cannot be kept is compiled again, so this says nothing.
 */
function keepCompiledCode({ env, geteuid }) {
  const folder = cacheFolder(env)
  if (folder === undefined || geteuid === undefined || env.NODE_DISABLE_COMPILE_CACHE) return
  const uid = geteuid()
  try {
    makeFolder(folder, uid)
    const stats = lstatSync(folder)
    if (stats.isDirectory() && stats.uid === uid && (stats.mode & FOR_OTHERS) === 0) enableCompileCache(folder)
  } catch {
    // A home that is missing, full, or may only be read or not even entered.
  }
}

/** Undefined without HOME; the XDG Base Directory Specification ignores relative paths. */
function cacheFolder({ XDG_CACHE_HOME: named, HOME: home }) {
  if (named && isAbsolute(named)) return join(named, 'crm/compiled')
  return home && isAbsolute(home) ? join(home, '.cache/crm/compiled') : undefined
}

/** Makes it, and those above it, in a folder of this user; whatever the umask. */
function makeFolder(folder, uid) {
  if (lstatSync(folder, { throwIfNoEntry: false })) return
  const above = dirname(folder)
  makeFolder(above, uid)
  if (lstatSync(above).uid !== uid) return
  mkdirSync(folder, FOR_OWNER)
  chmodSync(folder, FOR_OWNER)
}

module.exports = { keepCompiledCode }
