// References of the documentation are valid: pages, headings, files of the project. Each page is in an index.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pagesOfDocumentation } from './pages.ts'
import { PICTURES, shownPictures } from './pictures.mjs'

const PAGES = pagesOfDocumentation()

/** Returns a page without its fenced blocks. */
function proseOf(page: string): string {
  return readFileSync(page, 'utf8').replace(/^```.*?^```$/gms, '')
}

/** Returns the anchors of a page's headings, as GitHub generates them. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, text]) => String(text))
  return headings.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}

/** Returns the targets of links and pictures, without web addresses. */
function targetsOf(page: string): readonly string[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => String(target))
  return targets.filter((target) => !/^https?:/.test(target))
}

function isThere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : normalize(join(dirname(page), path))
  return existsSync(file) && (anchor === undefined || anchorsOf(file).includes(anchor))
}

/** Returns files and folders that a page names, from the project's folder or, for tests, from test/. */
function citedFiles(page: string): readonly string[] {
  const spans = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, span]) => String(span))
  return spans.filter((span) => /^(src|test|docs|scripts|bench|assets)\/[\w./-]+$/.test(span))
}

describe('every page of the documentation', () => {
  it('links to existing pages and headings', () => {
    const broken = PAGES.flatMap((page) =>
      targetsOf(page).flatMap((target) => (isThere(page, target) ? [] : [`${page}: ${target}`])),
    )
    expect(broken).toEqual([])
  })

  it('names only files that exist', () => {
    const missing = PAGES.flatMap((page) =>
      citedFiles(page)
        .filter((file) => !existsSync(file) && !existsSync(join('test', file)))
        .map((file) => `${page}: ${file}`),
    )
    expect(missing).toEqual([])
  })

  /** Returns the pages that an index links to. */
  const linked = (index: string) => targetsOf(index).map((target) => normalize(join(dirname(index), target)))

  it('every page in docs/ is listed in docs/README.md, in the contract or in the index of its folder', () => {
    const indexes = PAGES.filter((page) => page.endsWith('README.md') || page === 'docs/contract.md')
    const found = new Set(indexes.flatMap(linked))
    expect(PAGES.filter((page) => page.includes('/') && !found.has(page))).toEqual([])
  })
})

describe('docs/screenshots', () => {
  it('contains exactly the pictures that the pages show', () => {
    expect(readdirSync(PICTURES).sort()).toEqual(shownPictures())
  })
})

describe('the limit on the length of pages', () => {
  /** Returns `true` for a page of more than 400 lines that no program wrote. */
  const isTooLong = (text: string) => text.split('\n').length - 1 > 400 && !/^<!-- Written by /m.test(text)

  it('is 400 lines in docs/, except for generated pages', () => {
    const pages = PAGES.filter((page) => page.startsWith('docs/'))
    expect(pages.filter((page) => isTooLong(readFileSync(page, 'utf8')))).toEqual([])
  })

  it.each([
    ['a page of 401 lines', 'a line\n'.repeat(401), true],
    ['a page of 400 lines', 'a line\n'.repeat(400), false],
    [
      'a long generated page',
      `# Title\n\n<!-- Written by \`npm run generate\`. -->\n${'a line\n'.repeat(500)}`,
      false,
    ],
  ])('is applied correctly to %s', (_, text, expected) => {
    expect(isTooLong(text)).toBe(expected)
  })
})

describe('a citation of the contract', () => {
  /** Returns the pages of docs/api/ that a text cites as `api/outcome` and that do not exist. */
  function missingPages(text: string): readonly string[] {
    // A path is no citation: it has a folder before it, a file's name, or closing quotes after it.
    const cited = [...text.matchAll(/(?<![\w./@-])api\/([a-z][a-z-]*)(?![\w/'"-]|\.[a-z])/g)]
    const pages = cited.map(([citation, name]) => ({ citation, page: `docs/api/${name}.md` }))
    const numbers = [...text.matchAll(/\bCONTRACT \d+/g)].map(([number]) => number)
    return [
      ...pages.filter(({ page }) => !existsSync(page)).map(({ citation }) => citation),
      ...numbers.map((number) => `${number}: cite the page`),
    ]
  }

  it('names an existing page', () => {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
    const files = String(listed)
      .split('\0')
      .filter((path) => /\.(tsx?|mjs|js|md)$/.test(path) && existsSync(path))
      .filter((path) => !path.startsWith('test/vectors/'))
    const texts = files.map((path) => ({ path, text: readFileSync(path, 'utf8') }))
    expect(texts.filter(({ text }) => text.includes('api/outcome')).length).toBeGreaterThan(20)
    const broken = texts.flatMap(({ path, text }) => missingPages(text).map((page) => `${path}: ${page}`))
    expect(broken).toEqual([])
  })

  const NAME = 'no-such-page'

  it.each([
    [`// Returns the stage (api/${NAME}).`, [`api/${NAME}`]],
    [`it('api/outcome, api/${NAME}: ends', () => {})`, [`api/${NAME}`]],
    [`| api/${NAME} list | something |`, [`api/${NAME}`]],
    [`See \`api/${NAME}\`.`, [`api/${NAME}`]],
    [`// Returns the stage (${'CONTRACT'} 4).`, [`${'CONTRACT'} 4: cite the page`]],
  ])('is reported if its page does not exist, or if it cites a section by number: %s', (text, missing) => {
    expect(missingPages(text)).toEqual(missing)
  })

  it.each([
    `import x from '../api/${NAME}.ts' // src/api/${NAME}`,
    '// The end of a session (api/outcome, api/webhooks).',
  ])('is not reported if its page exists, or if it is the path of a module: %s', (text) => {
    expect(missingPages(text)).toEqual([])
  })
})

describe('the README', () => {
  it('has fewer than 150 lines', () => {
    expect(readFileSync('README.md', 'utf8').split('\n').length - 1).toBeLessThan(150)
  })
})

describe('docs/configuration.md', () => {
  it('lists every variable of the configuration and of the launcher, and no other', () => {
    const inSchema = readFileSync('src/config.ts', 'utf8').matchAll(/^ {2}([A-Z][A-Z_]+):/gm)
    const launcher = ['start.mjs', 'service/options.mjs'].map((path) =>
      readFileSync(`scripts/${path}`, 'utf8'),
    )
    const inLauncher = launcher.join('').matchAll(/\benv\.([A-Z][A-Z_]+)/g)
    const variables = new Set([...inSchema, ...inLauncher].map(([, name]) => name))
    const rows = proseOf('docs/configuration.md').match(/^\| `[A-Z].*?\|/gm) ?? []
    const documented = rows.flatMap((row) => [...row.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name))
    expect(documented.sort()).toEqual([...variables].sort())
  })
})
