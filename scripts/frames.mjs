// `node scripts/frames.mjs < log`: prints the log with stack frames as places in src/. The bundle is
// minified. At the deployed commit, this script builds the same bundle again, and its source map.

import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { ensureBundle, SOURCE_MAP } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'

ensureInstalled()
ensureBundle()
const map = new SourceMap(JSON.parse(readFileSync(SOURCE_MAP, 'utf8')))
process.stdout.write(readFileSync(0, 'utf8').replaceAll(/\bworker\.js:(\d+):(\d+)/g, placeOf))

function placeOf(frame, line, column) {
  const { fileName, lineNumber, columnNumber } = map.findOrigin(Number(line), Number(column))
  return fileName === undefined ? frame : `${fileName}:${lineNumber}:${columnNumber}`
}
