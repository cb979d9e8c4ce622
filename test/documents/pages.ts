// Pages of the documentation, and their fenced blocks.

import { readdirSync, readFileSync } from 'node:fs'

/** One block. `heading` is the nearest one above it. */
export type Block = {
  readonly language: string
  readonly text: string
  readonly heading: string
  readonly line: number
}

/** Returns every fenced block of a page, in order. */
export function blocksOf(path: string): readonly Block[] {
  const blocks: Block[] = []
  let heading = ''
  let open: { language: string; line: number; lines: string[] } | undefined
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    const [, fence] = /^```(\w*)$/.exec(line) ?? []
    if (open === undefined && fence !== undefined) open = { language: fence, line: index + 1, lines: [] }
    else if (open !== undefined && line === '```') {
      blocks.push({ language: open.language, text: open.lines.join('\n'), heading, line: open.line })
      open = undefined
    } else if (open !== undefined) open.lines.push(line)
    else if (line.startsWith('#')) heading = line.replace(/^#+ /, '')
  }
  return blocks
}

/** Returns the blocks of a page in one language. */
export function textsIn(path: string, language: string): readonly string[] {
  return blocksOf(path).flatMap((block) => (block.language === language ? [block.text] : []))
}

/** Returns the root pages and every page below docs/, as paths from the project's folder. */
export function pagesOfDocumentation(): readonly string[] {
  const below = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  return [...ROOT_PAGES, ...below.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`)].sort()
}

const ROOT_PAGES = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md']
