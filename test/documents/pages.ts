// Pages of the documentation.

import { readdirSync } from 'node:fs'

/** Returns the root pages and every page below docs/, as paths from the project's folder. */
export function pagesOfDocumentation(): readonly string[] {
  const below = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  return [...ROOT_PAGES, ...below.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`)].sort()
}

const ROOT_PAGES = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md']
