// The pages of the documentation.

import { readdirSync } from 'node:fs'

/** README.md and every page below docs/, as paths from the project's folder. */
export function pagesOfDocumentation(): readonly string[] {
  const below = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  return ['README.md', ...below.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`)].sort()
}
