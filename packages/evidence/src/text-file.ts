// Texts of a container.

import { decodeUtf8 } from '../../../src/codec/bytes.ts'
import type { CaseFile } from './case-file.ts'

/** Returns the text of a file; `undefined` if the file is missing or is not UTF-8. */
export function textFile(files: CaseFile['files'], name: string): string | undefined {
  const bytes = files.get(name)
  return bytes && decodeUtf8(bytes)
}
