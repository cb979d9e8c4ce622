// Archives that are the same for the same files: sorted, with one time, one owner and fixed rights.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Packs `folder`/`name` into the archive `to`. `seconds` is the time of every entry. Needs GNU tar. */
export function pack({ folder, name, to, seconds }) {
  const options = [
    ...['--format=ustar', '--sort=name', `--mtime=@${seconds}`, '--numeric-owner', '--owner=0', '--group=0'],
    ...['--mode=u=rwX,go=rX', '--use-compress-program=gzip -9n'],
  ]
  execFileSync('tar', ['--create', `--file=${to}`, `--directory=${folder}`, ...options, name])
}

/** Writes SHA256SUMS for the files of a folder. Returns the name and size of each. */
export function checksums(folder) {
  const files = readdirSync(folder)
    .sort()
    .map((file) => ({ file, content: readFileSync(join(folder, file)) }))
  const lines = files.map(
    ({ file, content }) => `${createHash('sha256').update(content).digest('hex')}  ${file}\n`,
  )
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
  return files.map(({ file, content }) => ({ file, bytes: content.length }))
}
