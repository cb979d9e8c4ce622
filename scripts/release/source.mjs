// The source of a release: version, commit and time.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../service/paths.mjs'

/**
 * Returns `version`, `commit`, `seconds` (the time of the commit) and `isTagged`. Throws with uncommitted
 * changes, since the same commit must give the same files. Throws if another commit has the tag of this
 * version.
 */
export function readSource({ allowDirty }) {
  const { version } = readJson('package.json')
  for (const one of ['client', 'verify', 'evidence', 'inspect', 'create']) {
    const path = `packages/${one}/package.json`
    const own = readJson(path).version
    if (own !== version) throw new Error(`${path} has version ${own}: set it to ${version}`)
  }
  const changes = git('status', '--porcelain').split('\n').filter(Boolean)
  if (changes.length > 0 && !allowDirty) {
    throw new Error(
      `the folder has uncommitted changes (${changes.map((line) => line.slice(3)).join(', ')}). Commit them, or try with --allow-dirty.`,
    )
  }
  const head = git('rev-parse', 'HEAD')
  const [tagged = ''] = git('tag', '--list', `v${version}`, '--format=%(*objectname)%(objectname)').split(
    '\n',
  )
  const isTagged = tagged.slice(0, head.length) === head
  if (tagged !== '' && !isTagged)
    throw new Error(`v${version} is the tag of another commit. Set the next version in package.json.`)
  return {
    version,
    commit: changes.length > 0 ? `${head}-dirty` : head,
    seconds: Number(git('log', '-1', '--format=%ct')),
    isTagged,
  }
}

/** Returns the files below the given paths that are under version control, or would be. */
export function sourceFiles(...paths) {
  const listed = git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths)
  return [...new Set(listed.split('\n').filter(Boolean))].sort()
}

export function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}

function git(...args) {
  return execFileSync('git', ['--no-optional-locks', ...args], { cwd: ROOT, encoding: 'utf8' }).trimEnd()
}
