// Compiles the library: packages/verify/dist. It has the modules of src/ that the library reaches, each in a
// file of its own, so that bundlers can leave out what a program does not use.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { DIST, ROOT } from './paths.mjs'

const PACKAGE = join(ROOT, 'packages', 'verify')
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const SOURCE = 'packages/verify/src'
/** Modules of the package that no other module imports by its path. `imports` of package.json names them. */
const ENTRIES = ['index', 'zlib', 'zlib-node'].map((name) => `${SOURCE}/${name}`)

/** Builds the package. */
export function buildVerify() {
  mkdirSync(DIST, { recursive: true })
  const work = mkdtempSync(join(DIST, 'verify-'))
  try {
    compile(join(work, 'compiled'))
    const out = join(work, 'dist')
    for (const path of reached(join(work, 'compiled'), ENTRIES, '.js')) write(work, out, path)
    for (const path of reached(join(work, 'compiled'), [`${SOURCE}/index`], '.d.ts')) write(work, out, path)
    replace(out, join(PACKAGE, 'dist'), work)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Returns the declarations of everything that a caller sees, without comments (packages/verify/surface.txt).
 * Throws if a declaration needs a module of src/.
 */
export function verifySurface() {
  mkdirSync(DIST, { recursive: true })
  const work = mkdtempSync(join(DIST, 'verify-surface-'))
  try {
    compile(work, '--emitDeclarationOnly')
    const files = reached(work, [`${SOURCE}/index`], '.d.ts').sort()
    const foreign = files.filter((path) => !path.startsWith(SOURCE))
    if (foreign.length > 0) throw new Error(`a declaration of the library needs ${foreign}`)
    const texts = files.map((path) => {
      const text = readFileSync(join(work, path), 'utf8').replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
      return `// ${posix.basename(path)}\n${text.trim()}\n`
    })
    return `${HEAD}\n${texts.join('\n')}`
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const HEAD = `// The public surface of @wallet-verifier/verify. \`npm run generate\` writes this file: a change here is a change
// for callers.
`

function compile(out, ...options) {
  const args = [COMPILER, '-p', PACKAGE, '--outDir', out, ...options]
  const compiled = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  if (compiled.error) throw compiled.error
  if (compiled.status !== 0) throw new Error(`the library did not compile:\n${compiled.stdout}`)
}

/** Returns the paths of the files that the entries import, directly or not. */
function reached(folder, entries, extension) {
  const found = new Set()
  const visit = (path) => {
    if (found.has(path)) return
    found.add(path)
    const text = readFileSync(join(folder, path), 'utf8')
    for (const [, specifier] of text.matchAll(/(?:from|import) ?\(?["'](\.[^"']+)\.(?:js|ts)["']/g))
      visit(posix.join(posix.dirname(path), specifier) + extension)
  }
  for (const entry of entries) visit(entry + extension)
  return [...found]
}

/** Writes one file. The modules of the package come to `verify/`, the others stay in `src/`. */
function write(work, out, path) {
  const target = join(out, path.replace(SOURCE, 'verify'))
  const text = readFileSync(join(work, 'compiled', path), 'utf8')
    .replaceAll(/(from ?["'])(?:\.\.\/){3}src\//g, '$1../src/')
    .replaceAll(/(from ?["']\.[^"']+)\.ts(["'])/g, '$1.js$2')
    // A JSON module becomes a module of JavaScript, because not every platform and bundler reads JSON.
    .replaceAll(/(from ["'][^"']+\.json)(["']) with \{[^}]*\}/g, '$1.js$2')
    .replaceAll(/from 'node:zlib'/g, path.endsWith('zlib-node.js') ? "from 'node:zlib'" : "from '#zlib'")
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
  for (const [, name] of text.matchAll(/from ["'](\.[^"']+\.json)\.js["']/g)) {
    const json = readFileSync(join(ROOT, dirname(path), name), 'utf8')
    writeFileSync(join(dirname(target), `${name}.js`), `export default ${json.trim()}\n`)
  }
}

/** Puts a folder in the place of another. */
function replace(from, to, work) {
  const old = join(work, 'old')
  try {
    renameSync(to, old)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  renameSync(from, to)
}
