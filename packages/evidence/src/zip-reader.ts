// Reads the ZIP of a container from an unknown source. Only what a container needs is accepted: stored or
// deflated entries, each name once, no encryption, no ZIP64, no links. Every limit is checked before the
// work.

import { inflateRawSync } from 'node:zlib'
import { decodeUtf8 } from '../../../src/codec/bytes.ts'
import { crc32 } from '../../../src/evidence/crc32.ts'

/** Limits of a container that the verifier reads. */
export const ZIP_LIMITS = { bytes: 67_108_864, entries: 1000, nameBytes: 200 } as const

/** The file is no ZIP that the verifier reads. The message says why. */
export class UnreadableError extends Error {}

type Bytes = Uint8Array<ArrayBuffer>

/** One entry of the central directory. */
type Entry = {
  readonly name: string
  readonly method: number
  readonly crc: number
  readonly compressed: number
  readonly size: number
  readonly offset: number
}

const [END, CENTRAL, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50]
const [END_BYTES, CENTRAL_BYTES, LOCAL_BYTES] = [22, 46, 30]
const [STORED, DEFLATED] = [0, 8]
/** Flags: bit 0 encrypted, bit 3 sizes behind the data, bit 11 names in UTF-8. All others are refused. */
const KNOWN_FLAGS = 0x0808
/** Type of a Unix symbolic link in the upper half of the external attributes. */
const [TYPE_MASK, LINK] = [0xf000, 0xa000]
/** A safe name: no start with `/`, no `..`, no backslash, no control character. */
const SAFE_NAME = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[A-Za-z0-9_-][A-Za-z0-9._/-]*$/

/** Reads every entry, in the order of the central directory. Throws `UnreadableError`. */
export function readZip(bytes: Bytes): ReadonlyMap<string, Bytes> {
  if (bytes.length > ZIP_LIMITS.bytes) throw new UnreadableError('the ZIP has more than 64 MiB')
  const entries = readDirectory(bytes)
  const total = entries.reduce((sum, { size }) => sum + size, 0)
  if (total > ZIP_LIMITS.bytes) throw new UnreadableError('the content of the ZIP has more than 64 MiB')
  const files = new Map<string, Bytes>()
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (entry.offset < end) throw new UnreadableError(`the entry ${entry.name} overlaps another entry`)
    const data = locate(bytes, entry)
    end = data.end
    files.set(entry.name, extract(bytes.subarray(data.start, data.end), entry))
  }
  return new Map(
    entries
      .filter(({ name }) => !name.endsWith('/'))
      .map(({ name }) => [name, files.get(name) ?? new Uint8Array()]),
  )
}

function readDirectory(bytes: Bytes): readonly Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  const size = view.getUint32(end + 12, true)
  const start = view.getUint32(end + 16, true)
  const isWhole = view.getUint32(end + 4, true) === 0 && view.getUint16(end + 8, true) === count
  if (!isWhole || count === 0xffff || start === 0xffffffff)
    throw new UnreadableError('the ZIP has several parts, or is a ZIP64')
  if (count > ZIP_LIMITS.entries) throw new UnreadableError('the ZIP has more than 1,000 entries')
  if (start + size > end) throw new UnreadableError('the directory of the ZIP ends behind its end')
  const entries: Entry[] = []
  let position = start
  for (let i = 0; i < count; i++) {
    if (position + CENTRAL_BYTES > start + size) throw new UnreadableError('the directory of the ZIP is cut')
    const entry = readEntry(bytes, view, position, start)
    if (entries.some(({ name }) => name === entry.value.name))
      throw new UnreadableError(`two entries have the name ${entry.value.name}`)
    entries.push(entry.value)
    position = entry.next
  }
  if (position !== start + size)
    throw new UnreadableError('the directory of the ZIP has another size than it says')
  return entries
}

/** Finds the end record. Comments are not accepted, so it is at the end. */
function findEnd(view: DataView): number {
  const end = view.byteLength - END_BYTES
  if (end < 0 || view.getUint32(end, true) !== END || view.getUint16(end + 20, true) !== 0)
    throw new UnreadableError('the file is no ZIP, or has a comment or data behind its end')
  return end
}

function readEntry(
  bytes: Bytes,
  view: DataView,
  position: number,
  directory: number,
): { value: Entry; next: number } {
  if (view.getUint32(position, true) !== CENTRAL)
    throw new UnreadableError('an entry of the ZIP has no header')
  const flags = view.getUint16(position + 8, true)
  const [nameBytes, extra, comment] = [28, 30, 32].map((at) => view.getUint16(position + at, true)) as [
    number,
    number,
    number,
  ]
  const attributes = view.getUint32(position + 38, true)
  const value = {
    name: readName(bytes.subarray(position + CENTRAL_BYTES, position + CENTRAL_BYTES + nameBytes)),
    method: view.getUint16(position + 10, true),
    crc: view.getUint32(position + 16, true),
    compressed: view.getUint32(position + 20, true),
    size: view.getUint32(position + 24, true),
    offset: view.getUint32(position + 42, true),
  }
  const { name, method, compressed, size, offset } = value
  if ((flags & ~KNOWN_FLAGS) !== 0)
    throw new UnreadableError(`the entry ${name} is encrypted or has unknown flags`)
  if (method !== STORED && method !== DEFLATED)
    throw new UnreadableError(`the entry ${name} is neither stored nor deflated`)
  if (method === STORED && compressed !== size) throw new UnreadableError(`the entry ${name} has two sizes`)
  if (((attributes >>> 16) & TYPE_MASK) === LINK) throw new UnreadableError(`the entry ${name} is a link`)
  if (offset + LOCAL_BYTES + compressed > directory)
    throw new UnreadableError(`the entry ${name} ends behind the end`)
  return { value, next: position + CENTRAL_BYTES + nameBytes + extra + comment }
}

/** Returns where the data of an entry starts and ends. The local header must have the same name. */
function locate(bytes: Bytes, { name, offset, compressed }: Entry): { start: number; end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(offset, true) !== LOCAL)
    throw new UnreadableError(`the entry ${name} has no local header`)
  const nameBytes = view.getUint16(offset + 26, true)
  const start = offset + LOCAL_BYTES + nameBytes + view.getUint16(offset + 28, true)
  const local = readName(bytes.subarray(offset + LOCAL_BYTES, offset + LOCAL_BYTES + nameBytes))
  if (local !== name) throw new UnreadableError(`the entry ${name} has another name in its local header`)
  if (start + compressed > bytes.length) throw new UnreadableError(`the entry ${name} ends behind the end`)
  return { start, end: start + compressed }
}

function extract(data: Bytes, { name, method, crc, size }: Entry): Bytes {
  const content = method === STORED ? data.slice() : inflate(data, name, size)
  if (content.length !== size) throw new UnreadableError(`the entry ${name} has another size than it says`)
  if (crc32(content) !== crc) throw new UnreadableError(`the entry ${name} has another checksum`)
  return content
}

/** Inflates at most the announced bytes. All of the input must belong to them. */
function inflate(data: Bytes, name: string, size: number): Bytes {
  const limits = { maxOutputLength: size + 1, info: true }
  try {
    const { buffer, engine } = inflateRawSync(data, limits) as unknown as Inflated
    if (engine.bytesWritten === data.length) return new Uint8Array(buffer)
  } catch {
    // The data is no deflate stream, or is longer than announced.
  }
  throw new UnreadableError(`the entry ${name} cannot be inflated, or is larger than it says`)
}

/** Result of `inflateRawSync` with `info`. */
type Inflated = { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }

function readName(bytes: Bytes): string {
  const name = bytes.length > ZIP_LIMITS.nameBytes ? undefined : decodeUtf8(bytes)
  if (name === undefined || !SAFE_NAME.test(name))
    throw new UnreadableError('an entry has a name that is not safe')
  return name
}
