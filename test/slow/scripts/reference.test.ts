// The build of the API reference: its renderer is fetched once, checked by its hash, and may be missing.

import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIST, ROOT } from '../../../scripts/service/paths.mjs'
import { ensureReference, RENDERER } from '../../../scripts/service/reference.mjs'

const ARCHIVE = `${RENDERER.name}-${RENDERER.version}.tgz`

/** A project with nothing but the build of the reference, and an npm that runs a shell script. */
function project(npm: string) {
  const root = mkdtempSync(join(tmpdir(), 'reference-'))
  for (const path of [
    'package.json',
    'scripts/service/compress.mjs',
    'scripts/service/paths.mjs',
    'scripts/service/reference.mjs',
    'assets/api-reference',
  ])
    cpSync(join(ROOT, path), join(root, path), { recursive: true })
  const tools = join(root, 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'npm'), `#!/bin/sh\necho called >> "${root}/calls"\n${npm}\n`, { mode: 0o755 })
  return {
    root,
    build() {
      const program = `import { ensureReference } from './scripts/service/reference.mjs'; console.log(ensureReference())`
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${tools}:${process.env.PATH}` },
      })
      return { reason: stdout.trim(), output: stderr }
    },
    page: () => readFileSync(join(root, 'assets/docs/docs.html'), 'utf8'),
    calls: () =>
      existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').split('\n').length - 1 : 0,
  }
}

/** Returns the compressed scripts: brotli, then gzip. */
function compressed(root: string): readonly Buffer[] {
  const folder = join(root, 'assets/docs')
  const names = readdirSync(folder).filter((name) => /^reference\.js\.[\w-]{16}\.(br|gzip)$/.test(name))
  return names
    .sort((a, b) => (a.endsWith('.br') ? -1 : 1) - (b.endsWith('.br') ? -1 : 1))
    .map((name) => readFileSync(join(folder, name)))
}

describe('the API reference', () => {
  const projects: ReturnType<typeof project>[] = []
  const start = (npm: string) => {
    const made = project(npm)
    projects.push(made)
    return made
  }
  beforeAll(() => {
    expect(ensureReference()).toBeUndefined()
  })
  afterAll(() => {
    for (const { root } of projects) rmSync(root, { recursive: true })
  })

  it('has its package fetched only once, and is built again after page.js has changed', () => {
    const { root, build, page, calls } = start(`cp "${join(DIST, ARCHIVE)}" .`)
    expect(build().reason).toBe('undefined')
    expect(page()).toContain('<script src="/assets/api-reference.js"></script>')
    const script = readFileSync(join(root, 'assets/docs/reference.js'))
    const [br, gzip] = compressed(root)
    expect(brotliDecompressSync(br!).equals(script)).toBe(true)
    expect(gunzipSync(gzip!).equals(script)).toBe(true)
    expect(readFileSync(join(root, 'assets/docs/LICENSE'), 'utf8')).toContain('Apache License')
    expect(build()).toEqual({ reason: 'undefined', output: '' })
    writeFileSync(join(root, 'assets/api-reference/page.js'), '// changed\n')
    expect(build().reason).toBe('undefined')
    expect(readFileSync(join(root, 'assets/docs/reference.js'), 'utf8')).toMatch(/;\n\/\/ changed\n$/)
    expect(compressed(root)).toHaveLength(2)
    expect(calls()).toBe(1)
  })

  it('is replaced by a message if npm cannot fetch its package, and is built at a later start', () => {
    const { root, build, page } = start('exit 1')
    const { reason, output } = build()
    expect(reason).toMatch(/^npm could not fetch the package openapi-explorer\. /)
    expect(output).toContain(`The API reference at /docs is not available: ${reason}`)
    expect(page()).toContain(reason)
    expect(page()).toContain('href="/openapi.json"')
    expect(page()).not.toContain('<script')
    copyFileSync(join(DIST, ARCHIVE), join(root, 'dist', ARCHIVE))
    expect(build().reason).toBe('undefined')
    expect(page()).toContain('<script')
  })

  it('is not built from a package with another hash', () => {
    const { root, build, page } = start(`printf x | cat "${join(DIST, ARCHIVE)}" - > ${ARCHIVE}`)
    const { reason } = build()
    expect(reason).toBe('the package openapi-explorer has another hash than the expected one.')
    expect(page()).toContain(reason)
    expect(existsSync(join(root, 'assets/docs/reference.js'))).toBe(false)
    expect(existsSync(join(root, 'dist', ARCHIVE))).toBe(false)
  })

  it('has less than 300 KB together with the page of /docs, if the reference is compressed with gzip', () => {
    const page = readFileSync(join(ROOT, 'assets/docs/docs.html'))
    const [, gzip] = compressed(ROOT)
    expect(page.length + gzip!.length).toBeLessThan(300_000)
  })
})
