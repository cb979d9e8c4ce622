// Files of a service that runs, and may remove them at any moment.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the content of a file; `undefined` if there is none. */
export function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns the path and content of each file below a folder. */
export function readFilesBelow(folder: string): readonly (readonly [string, Buffer])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const content = entry.isFile() ? readIfPresent(path) : undefined
    return content === undefined ? [] : [[path, content] as const]
  })
}
