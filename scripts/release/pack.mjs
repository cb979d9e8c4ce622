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

/** Writes SHA256SUMS for the files of a folder. */
export function writeChecksums(folder) {
  const lines = readdirSync(folder)
    .sort()
    .map((file) => {
      const digest = createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex')
      return `${digest}  ${file}\n`
    })
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}
