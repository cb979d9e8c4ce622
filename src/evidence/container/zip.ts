// Writes the ZIP of a container: `mimetype` first, no compression, one fixed date, sizes in the local
// headers (ETSI EN 319 162-1 Annex A.1). The same files always give the same bytes. A library would add a
// compressor, which no entry needs and which would make the service's bundle larger.

import { concatBytes, utf8 } from '../../codec/bytes.ts'
import { crc32 } from '../crc32.ts'
import { MEDIA_TYPE, NAMES } from './names.ts'

/** Signatures of the records (PKWARE APPNOTE 4.3). */
const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50]
/** Version 2.0 of the format, and 1 January 1980, the first date that a ZIP can have. */
const [VERSION, DATE] = [20, 0x0021]

/** Writes a ZIP with `mimetype` and these files, in their order. Names are ASCII. */
export function writeZip(files: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  const entries: (readonly [string, Uint8Array])[] = [[NAMES.mimetype, utf8(MEDIA_TYPE)], ...files]
  for (const [text, content] of entries) {
    const name = utf8(text)
    const common = header(content, name.length)
    parts.push(record([LOCAL, 4]), common, name, content)
    // Last fields of the directory entry: no comment, first disk, no attributes, offset of the local header.
    const place = record([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4])
    directory.push(record([CENTRAL, 4], [VERSION, 2]), common, place, name)
    offset += 4 + common.length + name.length + content.length
  }
  const listed = concatBytes(...directory)
  const counts = [entries.length, 2] as const
  const end = record([END, 4], [0, 2], [0, 2], counts, counts, [listed.length, 4], [offset, 4], [0, 2])
  return concatBytes(...parts, listed, end)
}

/** Returns the members that a local header and an entry of the directory share, from version to lengths. */
function header(content: Uint8Array, nameLength: number): Uint8Array {
  const [flags, stored, time, extra] = [0, 0, 0, 0]
  const size = content.length
  const start = record([VERSION, 2], [flags, 2], [stored, 2], [time, 2], [DATE, 2])
  return concatBytes(start, record([crc32(content), 4], [size, 4], [size, 4], [nameLength, 2], [extra, 2]))
}

/** Writes numbers of 2 or 4 bytes, the low byte first. */
function record(...numbers: readonly (readonly [value: number, bytes: 2 | 4])[]): Uint8Array {
  return Uint8Array.from(
    numbers.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, i) => (value >>> (8 * i)) & 0xff)),
  )
}
