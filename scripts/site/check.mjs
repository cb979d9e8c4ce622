// Checks a built site: every link, picture and anchor exists, and no page loads anything from elsewhere.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'

const ATTRIBUTE = /<(\w+)\b[^>]*?\s(href|src|srcset|poster)="([^"]*)"/g
/** Elements whose address a browser requests with the page. */
const LOADED = ['img', 'script', 'link', 'iframe', 'source', 'video', 'audio', 'object']

/** Returns `{ pages, errors }`: the number of pages, and a line for each error. */
export function checkSite(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const pages = files.filter((path) => path.endsWith('.html'))
  const anchors = new Map()
  const anchorsOf = (path) => {
    if (!anchors.has(path)) anchors.set(path, idsIn(readFileSync(join(folder, path), 'utf8')))
    return anchors.get(path)
  }
  const errors = pages.flatMap((path) =>
    linksIn(readFileSync(join(folder, path), 'utf8')).flatMap(({ element, target }) => {
      const error = errorOf(target, { path, element, folder, anchorsOf })
      return error === undefined ? [] : [`${path}: ${target}: ${error}`]
    }),
  )
  const styles = files.filter((path) => path.endsWith('.css'))
  const foreign = styles.filter((path) =>
    /url\(["']?(https?:)?\/\//.test(readFileSync(join(folder, path), 'utf8')),
  )
  return {
    pages: pages.length,
    errors: [...errors, ...foreign.map((path) => `${path}: loads from elsewhere`)],
  }
}

function linksIn(html) {
  return [...html.matchAll(ATTRIBUTE)].map(([, element, , target]) => ({ element, target: decode(target) }))
}

function idsIn(html) {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => decode(id)))
}

function errorOf(target, { path, element, folder, anchorsOf }) {
  if (/^(https?:)?\/\//.test(target)) return LOADED.includes(element) ? 'is loaded from elsewhere' : undefined
  if (/^(mailto|data):/.test(target) || target === '') return undefined
  const [address, anchor] = target.split('#')
  const file = fileOf(address === '' ? `/${path}` : posix.resolve(`/${posix.dirname(path)}`, address), folder)
  if (file === undefined) return 'does not exist'
  if (anchor === undefined || anchor === '' || !file.endsWith('.html')) return undefined
  return anchorsOf(file).has(decodeURIComponent(anchor)) ? undefined : 'has no such heading'
}

function fileOf(address, folder) {
  const path = decodeURIComponent(address).slice(1)
  const candidates = [path, posix.join(path, 'index.html'), `${path}.html`]
  return candidates.find((one) => existsSync(join(folder, one)) && statSync(join(folder, one)).isFile())
}

function decode(text) {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
}
