// The site of the documentation. scripts/site/build.mjs copies this folder beside the pages.

import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const { version, sidebar } = JSON.parse(readFileSync(new URL('../pages/site.json', import.meta.url), 'utf8'))

/** Anchors as they are in the repository, whose pages link to each other. */
function slugify(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

/** Makes a heading of a table without a text an ordinary cell: it names nothing. */
function plainEmptyHeadings(md) {
  md.core.ruler.push('plain_empty_headings', ({ tokens }) => {
    for (const [i, { type }] of tokens.entries()) {
      if (type !== 'th_open' || tokens[i + 1].content !== '') continue
      tokens[i].tag = 'td'
      tokens[i + 2].tag = 'td'
    }
  })
}

export default defineConfig({
  lang: 'en',
  title: 'Wallet verifier',
  description: 'Verifies credentials from digital identity wallets over OpenID4VP.',
  srcDir: 'pages',
  cleanUrls: false,
  // The search index has the pages in the order in which they are read.
  buildConcurrency: 1,
  lastUpdated: false,
  metaChunk: true,
  markdown: {
    anchor: { slugify },
    config: plainEmptyHeadings,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Integrating', link: '/integrating' },
      { text: 'Wallets', link: '/wallets/' },
      { text: 'API reference', link: '/reference/' },
      { text: version, link: '/project/CHANGELOG' },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: true } },
    externalLinkIcon: true,
    docFooter: { prev: false, next: false },
  },
})
