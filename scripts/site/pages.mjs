// The pages of docs/ as they are, and readmes that they link to. Only links are changed: to the place of each
// page on the site, or to plain text for files that the site does not have.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { sourceFiles } from '../release/source.mjs'
import { ROOT } from '../service/paths.mjs'
import { titleOf } from './markdown.mjs'

const PAGES = [
  ...[':(glob)docs/**/*.md', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...[':(glob)examples/**/README.md', ':(glob)packages/*/README.md', 'test/previous/README.md'],
]
const PICTURES = [':(glob)docs/**/*.png', ':(glob)examples/**/*.png']
const DOWNLOADS = ['docs/grafana.json', 'docs/prometheus.rules.yml']
/** Folders of docs/ with a part of the sidebar: title, folder. */
const FOLDERS = [
  ['The contract', 'api'],
  ['Runbooks', 'runbooks'],
  ['Decisions', 'decisions'],
]

/** Copies all pages and their pictures to the folder `to`. */
export function copyPages(to) {
  const pages = new Set(sourceFiles(...PAGES))
  for (const path of sourceFiles(...PICTURES)) copy(path, join(to, pageAddress(path)))
  for (const path of DOWNLOADS) copy(path, join(to, 'public', posix.basename(path)))
  for (const path of pages) {
    const target = join(to, pageAddress(path))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, withLinks(readFileSync(join(ROOT, path), 'utf8'), path, pages))
  }
}

function copy(path, to) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(ROOT, path), to)
}

/** Returns the path of a file of the project within the site. A readme is the first page of its folder. */
function pageAddress(path) {
  const moved = path.startsWith('docs/') ? path.slice('docs/'.length) : `project/${path}`
  return moved.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** Changes links outside of code. */
function withLinks(text, path, pages) {
  const code = []
  const prose = text.replace(CODE, (one) => `\0${code.push(one) - 1}\0`)
  return prose.replace(LINK, link).replace(/\0(\d+)\0/g, (_, number) => code[Number(number)])

  function link(whole, isPicture, label, target) {
    if (/^(https?:|mailto:|#)/.test(target)) return whole
    const [file, anchor] = target.split('#')
    const place = posix.normalize(posix.join(posix.dirname(path), file))
    const hash = anchor === undefined ? '' : `#${anchor}`
    if (isPicture === '!') return `![${label}](/${pageAddress(place)})`
    if (DOWNLOADS.includes(place)) return `<a href="/${posix.basename(place)}" download>${label}</a>`
    const page = [place, posix.join(place, 'README.md')].find((one) => pages.has(one))
    if (page === undefined) return label
    // A table of pages names files, which a reader of the site does not know.
    const text = label === posix.basename(page) ? titleOf(readFileSync(join(ROOT, page), 'utf8')) : label
    return `[${text}](/${pageAddress(page)}${hash})`
  }
}

const CODE = /^```[\s\S]*?^```$|`[^`\n]+`/gm
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g

/**
 * Returns the sidebar of each part of the site: the tables of docs/README.md, and a link to each generated
 * group. A page of a group or of a folder has the pages of that group or folder first. No part can be
 * collapsed: axe finds a button within a button there.
 */
export function sidebarOf(groups) {
  const index = readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8')
  const listed = index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ text: section.split('\n', 1)[0], items: linkedIn(section) }))
  const made = groups.map(({ text, folder }) => ({ text, link: `/${folder}/` }))
  const everywhere = [{ text: 'Look up', items: made }, ...listed]
  const folders = FOLDERS.map(([text, folder]) => [
    `/${folder}/`,
    [{ text, items: sourceFiles(`:(glob)docs/${folder}/*.md`).map(item) }, ...everywhere],
  ])
  const own = groups.map(({ text, folder, pages }) => {
    const items = pages.map(({ path, title }) => ({ text: title, link: `/${path}` }))
    return [`/${folder}/`, [{ text, items }, ...everywhere]]
  })
  return { '/': everywhere, ...Object.fromEntries([...folders, ...own]) }
}

/** Returns the pages in the first column of the tables of a section. */
function linkedIn(section) {
  return [...section.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, target]) =>
    item(posix.join('docs', target)),
  )
}

function item(path) {
  return { text: titleOf(readFileSync(join(ROOT, path), 'utf8')), link: `/${pageAddress(path)}` }
}
