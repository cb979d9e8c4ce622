// Builds the console: script, style and texts in assets/console, which the Worker serves. They are not in
// its bundle (docs/decisions/console.md).

import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { replaceFiles } from './built-files.mjs'
import { compressFiles } from './compress.mjs'
import { ASSETS, ROOT } from './paths.mjs'

const SOURCE = join(ROOT, 'console')
/** The style with the colours, relative to the root. */
const COLOURS = 'assets/page/style.css'

export const isConsoleBuilt = () => builtFiles().every((name) => existsSync(join(ASSETS, 'console', name)))

/** Builds the console where the Worker serves it from. Files are replaced one by one. */
export function buildConsole() {
  replaceFiles(join(ASSETS, 'console'), buildConsoleInto)
}

/** Builds the console into the directory `out`. Returns the packages in it, as paths of the lock file. */
export function buildConsoleInto(out) {
  // The bundler is loaded here, because a launcher installs it first and a release does not have it.
  const { buildSync } = createRequire(join(ROOT, 'package.json'))('esbuild')
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: { console: join(SOURCE, 'main.tsx') },
    outdir: out,
    bundle: true,
    minify: true,
    banner: { css: coloursOfPages() },
    legalComments: 'none',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    preserveSymlinks: true,
    metafile: true,
    logLevel: 'warning',
  })
  for (const name of otherTexts()) copyFileSync(join(SOURCE, 'texts', name), join(out, `texts-${name}`))
  compressFiles(builtFiles(), out, out)
  const packages = Object.keys(metafile.inputs).map(
    (path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
  )
  return new Set(packages.filter((path) => path !== undefined))
}

/** Returns the variables of the style that every page has: first for light mode, then for dark mode. */
export function coloursOfPages() {
  const style = readFileSync(join(ROOT, COLOURS), 'utf8')
  const [rules] = /^:root \{[^}]+\}\n@media \(prefers-color-scheme: dark\) \{[^}]+\}\n\}/m.exec(style) ?? []
  if (rules === undefined) throw new Error(`${COLOURS} has no colours`)
  return rules
}

/** Returns the names of the files that are built. Each is in .gitignore. */
function builtFiles() {
  return ['console.js', 'console.css', ...otherTexts().map((name) => `texts-${name}`)]
}

/** Returns the texts that are read when a language needs them. English is part of the script. */
function otherTexts() {
  return readdirSync(join(SOURCE, 'texts')).filter((name) => name !== 'en.json')
}
