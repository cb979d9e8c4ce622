// `node_modules/.bin/node scripts/lines.ts [directory]`: counts the lines of code below a directory (default:
// src), without blank lines and comments. TypeScript and JSON count.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { commentsOf } from '../test/support/reading/source-scan.ts'

const root = process.argv[2] ?? 'src'
const counts = new Map<string, number>()
for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(ts|json)$/.test(entry.name)) continue
  const path = join(entry.parentPath, entry.name)
  const folder = relative(root, path).split('/')[0] ?? ''
  counts.set(folder, (counts.get(folder) ?? 0) + linesOfCode(readFileSync(path, 'utf8'), entry.name))
}
for (const [folder, lines] of counts) console.log(`${String(lines).padStart(6)} ${folder}`)
console.log(`${String([...counts.values()].reduce((sum, lines) => sum + lines, 0)).padStart(6)} in all`)

/** A line that holds nothing but a comment is not counted; a line with code and a comment is. */
function linesOfCode(source: string, name: string): number {
  const lines = source.split('\n').map((line) => line.trim())
  const isComment = name.endsWith('.json') ? () => false : commentLines(source)
  return lines.filter((line, index) => line !== '' && !isComment(line, index)).length
}

function commentLines(source: string): (line: string, index: number) => boolean {
  const starts = new Map(commentsOf(source).map(({ line, text }) => [line - 1, text.split('\n').length]))
  let until = 0
  return (line, index) => {
    if (/^(\/\/|\/\*)/.test(line)) until = Math.max(until, index + (starts.get(index) ?? 1))
    return index < until || /^(\/\/|\*)/.test(line)
  }
}
