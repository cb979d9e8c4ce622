// Builds the page that the service sends at /inspect. It is one file with its script and style, so it can be
// saved and opened offline. A launcher builds it, so this module imports no package.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { replaceFiles } from './built-files.mjs'
import { compressFiles } from './compress.mjs'
import { coloursOfPages } from './console-build.mjs'
import { packageOf } from './module-package.mjs'
import { ASSETS, DIST, ROOT } from './paths.mjs'

const PACKAGE = join(ROOT, 'packages', 'inspect')
const PAGE = 'inspect.html'
const OUT = join(ASSETS, 'inspect')

export const isInspectPageBuilt = () => existsSync(join(OUT, PAGE))

/** Builds the page where the Worker serves it from. Files are replaced one by one. */
export function buildInspectPage() {
  replaceFiles(OUT, buildInspectPageInto)
}

/** Builds the page into the directory `out`. Returns the packages in it, as paths of the lock file. */
export function buildInspectPageInto(out) {
  mkdirSync(out, { recursive: true })
  const { script, packages } = bundlePage()
  const style = `${coloursOfPages()}\n${readFileSync(join(PACKAGE, 'page', 'style.css'), 'utf8')}`
  const policy = `script-src ${hashOf(script)}; style-src ${hashOf(style)}`
  const template = readFileSync(join(PACKAGE, 'page', PAGE), 'utf8')
  for (const place of ['{policy}', '/*{style}*/', '/*{script}*/'])
    if (!template.includes(place)) throw new Error(`the page of the inspector has no ${place}`)
  const page = template
    .replace('{policy}', () => policy)
    .replace('/*{style}*/', () => style)
    .replace('/*{script}*/', () => script)
  writeFileSync(join(out, PAGE), page)
  compressFiles([PAGE], out, out)
  return packages
}

function bundlePage() {
  // The bundler is loaded here, because a launcher installs it first and a release does not have it.
  const { buildSync } = createRequire(join(ROOT, 'package.json'))('esbuild')
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [join(PACKAGE, 'page', 'page.ts')],
    alias: { 'node:zlib': join(PACKAGE, 'page', 'zlib.ts') },
    outdir: DIST,
    write: false,
    bundle: true,
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    format: 'iife',
    target: 'es2022',
    preserveSymlinks: true,
    metafile: true,
    logLevel: 'warning',
  })
  const [{ text: script }] = outputFiles
  // A comment mark alone is harmless: only together with a start tag it hides the end tag (HTML 13.2.5.4).
  if (/<\/?script/i.test(script)) throw new Error('the script of the inspector would end its element')
  return { script, packages: new Set(Object.keys(metafile.inputs).flatMap(packageOf)) }
}

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
