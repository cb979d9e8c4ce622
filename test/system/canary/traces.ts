// Looks for a secret in raw bytes, whatever it was wrapped in: as text of one or two bytes a character, as hexadecimal, or
// somewhere inside a base64 text.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Which of `secrets` (name to text) stand in `data`. */
export function tracesIn(
  data: Buffer | string,
  secrets: Readonly<Record<string, string>>,
): readonly string[] {
  const bytes = Buffer.from(data)
  return Object.keys(secrets).filter((name) =>
    spellings(secrets[name] ?? '').some((spelling) => bytes.includes(spelling)),
  )
}

/** The same for every file below a directory, `path: name` each. */
export function tracesInFiles(
  directory: string,
  secrets: Readonly<Record<string, string>>,
  isRead: (path: string) => boolean = () => true,
): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => isRead(path.slice(directory.length + 1)))
    .flatMap((path) =>
      tracesIn(readFileSync(path), secrets).map((name) => `${path.slice(directory.length + 1)}: ${name}`),
    )
}

function spellings(secret: string): readonly Buffer[] {
  const bytes = Buffer.from(secret)
  const texts = [bytes.toString('hex'), ...[0, 1, 2].map((shift) => insideBase64(bytes, shift))]
  return [bytes, Buffer.from(secret, 'utf16le'), ...texts.map((text) => Buffer.from(text))]
}

/** The characters of a base64 text that depend on these bytes alone, where `shift` bytes stand before them in their group. */
function insideBase64(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url')
  const before = Math.ceil((shift * 8) / 6)
  return text.slice(before, Math.floor(((shift + bytes.length) * 8) / 6))
}
