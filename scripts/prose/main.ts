// `npm run check -- prose [--all]`: measures the prose of every comment and Markdown page that is under
// version control. It fails if a limit is exceeded. `--all` prints every finding, not the first of each kind.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { commentsOf } from '../../test/support/reading/source-scan.ts'
import {
  COMMENT_WORDS,
  type Kind,
  lineErrors,
  MARKDOWN_WORDS,
  measure,
  paragraphsOf,
  type Report,
  titlesOf,
} from './prose.ts'

/** The share of comments (`start`) or sentences (`long`, `word`) that may have a finding of a kind. */
const LIMITS: Readonly<Record<Kind, number>> = { start: 0.01, long: 0.05, word: 0.005 }

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => !path.startsWith('test/vectors/'))
const sources = files.filter((path) => /\.(tsx?|mjs|js)$/.test(path))
const pages = files.filter((path) => path.endsWith('.md'))

const comments = measureAll(sources, commentsOf, COMMENT_WORDS)
const markdown = measureAll(pages, paragraphsOf, MARKDOWN_WORDS)
const titles = measureAll(
  sources.filter((path) => path.endsWith('.test.ts')),
  titlesOf,
  MARKDOWN_WORDS,
)
const lines = pages.flatMap((path) =>
  lineErrors(readFileSync(path, 'utf8')).map(({ line, text }) => `${path}:${line}: ${text}`),
)

const LABELS: Readonly<Record<Kind, string>> = {
  start: 'comments that begin with What, Whether, Whoever or Of',
  long: 'sentences that are too long',
  word: 'words to avoid',
}

const isGood = [print('comments', comments), print('test titles', titles), print('Markdown', markdown)].every(
  Boolean,
)
console.log(`Markdown lines that are too long or hold several sentences: ${lines.length} (limit 0)`)
for (const line of shown(lines)) console.log(`  ${line}`)
process.exitCode = isGood && lines.length === 0 ? 0 : 1

/** Measures the texts that `read` finds in each file. */
function measureAll(
  paths: readonly string[],
  read: (source: string) => readonly { readonly line: number; readonly text: string }[],
  longest: number,
): Report {
  return measure(
    paths.flatMap((path) =>
      read(readFileSync(path, 'utf8')).map(({ line, text }) => ({ place: `${path}:${line}`, text, longest })),
    ),
  )
}

/** Prints the shares of one kind of text. Returns `false` if a limit is exceeded. */
function print(name: string, { passages, sentences, findings }: Report): boolean {
  console.log(`${name}: ${passages} passages, ${sentences} sentences`)
  const kinds = Object.keys(LIMITS) as Kind[]
  return kinds
    .map((kind) => {
      const found = findings.filter((finding) => finding.kind === kind)
      const share = found.length / Math.max(1, kind === 'start' ? passages : sentences)
      console.log(`  ${LABELS[kind]}: ${found.length}, ${percent(share)} (limit ${percent(LIMITS[kind])})`)
      for (const { place, text } of shown(found)) console.log(`    ${place}: ${text}`)
      return share <= LIMITS[kind]
    })
    .every(Boolean)
}

function shown<T>(findings: readonly T[]): readonly T[] {
  return process.argv.includes('--all') ? findings : findings.slice(0, 5)
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}
