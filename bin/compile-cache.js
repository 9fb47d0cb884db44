const { lstatSync, mkdirSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { dirname, isAbsolute, join } = require('node:path')

/** Of the group and of others. */
const FOR_OTHERS = 0o077

/**
 * Node keeps what it compiled of the build in a folder of this user alone, and reads it in later runs. That code runs, so a folder that
 * another user owns or can enter is not used; nor is one made in the home of another user, which `sudo` keeps. Without user ids (Windows)
 * there is none. What cannot be kept is compiled again, so this says nothing.
 */
function keepCompiledCode({ env, geteuid }) {
  const folder = cacheFolder(env)
  if (folder === undefined || geteuid === undefined) return
  const uid = geteuid()
  try {
    if (nearestOwner(folder) !== uid) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
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

/** The user who owns the folder, or the nearest one above it that exists. */
function nearestOwner(folder) {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  return stats === undefined && dirname(folder) !== folder ? nearestOwner(dirname(folder)) : stats?.uid
}

module.exports = { keepCompiledCode }
