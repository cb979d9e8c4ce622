// Searches raw bytes for a secret in several encodings: one or two bytes a character, hexadecimal, or within
// base64.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the names of `secrets` (name to text) that occur in `data`. */
export function tracesIn(
  data: Buffer | string,
  secrets: Readonly<Record<string, string>>,
): readonly string[] {
  const bytes = Buffer.from(data)
  return Object.keys(secrets).filter((name) =>
    spellings(secrets[name] ?? '').some((spelling) => bytes.includes(spelling)),
  )
}

/**
 * Searches every file below a directory. Returns `path: name` for each hit. SQLite moves the content of a
 * file to another one and removes it: the search then begins again.
 */
export function tracesInFiles(
  directory: string,
  secrets: Readonly<Record<string, string>>,
  isRead?: (path: string) => boolean,
): readonly string[] {
  for (let tries = 1; ; tries++) {
    try {
      return searchFiles(directory, secrets, isRead)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === 10) throw error
    }
  }
}

function searchFiles(
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

/**
 * Returns the characters of a base64 text that depend only on these bytes. `shift` bytes precede them in
 * their group.
 */
function insideBase64(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url')
  const before = Math.ceil((shift * 8) / 6)
  return text.slice(before, Math.floor(((shift + bytes.length) * 8) / 6))
}
