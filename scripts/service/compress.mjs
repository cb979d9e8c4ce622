// Writes files of assets/ in the content codings that the Worker sends (src/routes/edge/cloudflare.ts). A
// build does it once and at the highest level, because workerd would compress at each request.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** The end of a compressed file's name. */
const COMPRESSED = /\.(br|gzip)$/

/**
 * Writes the files `names` of the folder `from` in each coding into the folder `to`. The new name contains
 * the hash of the source, so the Worker never sends a file that was made of an older source.
 */
export function compressFiles(names, from, to) {
  for (const name of names) {
    const source = readFileSync(join(from, name))
    const hash = createHash('sha256').update(source).digest('base64url').slice(0, 16)
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: source.length }
    writeFileSync(join(to, `${name}.${hash}.br`), brotliCompressSync(source, { params }))
    writeFileSync(join(to, `${name}.${hash}.gzip`), gzipSync(source, { level: 9 }))
  }
}

/** Compresses the scripts of the pages in the folder `from` into the folder `to`. */
export function compressScripts(from, to) {
  compressFiles(
    readdirSync(from).filter((name) => name.endsWith('.js')),
    from,
    to,
  )
}

/** Removes compressed files that are not among `names` from a folder. */
export function removeOldCompressed(folder, names) {
  for (const name of readdirSync(folder)) {
    if (COMPRESSED.test(name) && !names.includes(name)) rmSync(join(folder, name), { force: true })
  }
}
