// `npm run deploy -- --dry-run`, with wrangler.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stepsOf } from '../../scripts/deploy/upload.mjs'
import { BUNDLES } from '../../scripts/service/bundle.mjs'
import { DIST, NODE, ROOT } from '../../scripts/service/paths.mjs'
import {
  type Chain,
  dryRun,
  type Environment,
  goodEnvironment,
  keyOf,
  mintChain,
} from '../support/service/deployment.ts'

let chain: Chain
let good: Environment
beforeAll(async () => {
  chain = await mintChain()
  good = await goodEnvironment(chain)
})

describe('npm run deploy -- --dry-run', () => {
  const directory = mkdtempSync(join(tmpdir(), 'deploy-test-'))
  const leftOver = join(DIST, 'left-over')
  afterAll(() => {
    for (const made of [directory, leftOver]) rmSync(made, { recursive: true, force: true })
  })

  it('builds all Workers with wrangler, uploads nothing, and leaves no secret in its files or its output', () => {
    const { status, stdout, stderr } = dryRun(directory, good)
    expect(`${stdout}${stderr}`).toContain('Nothing was uploaded.')
    expect(status).toBe(0)
    expect(stdout.match(/--dry-run: exiting now/g)).toHaveLength(4)
    for (const name of ['ADMIN_TOKEN', 'SERVER_SECRET']) expect(stdout + stderr).not.toContain(good[name])
    expect(stdout + stderr).not.toContain(keyOf(chain.leaf).d)
    expect(readdirSync(directory).filter((name) => name.startsWith('deploy-'))).toEqual([])
  })

  it('would upload only the checked bundles, with a source map to src/ for the verifier', () => {
    const [secretsFile, form] = [join(directory, 's.json'), join(directory, 'form')]
    writeFileSync(secretsFile, '{}')
    // Other builds leave files beside the bundles, such as the pages of the site.
    mkdirSync(leftOver, { recursive: true })
    writeFileSync(join(leftOver, 'page.html'), 'a left-over page')
    const wrangler = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
    const forms = stepsOf(good, { secretsFile, commit: undefined, isRouted: true, digest: 'ab' }).map(
      (step) => {
        spawnSync(NODE, [wrangler, ...step, '--dry-run', '--outfile', form], { cwd: ROOT })
        return readFileSync(form, 'utf8')
      },
    )
    expect(forms).toHaveLength(BUNDLES.length)
    for (const form of forms) expect(form).not.toContain('a left-over page')
    for (const [index, bundle] of BUNDLES.entries()) {
      expect(forms[index]).toContain(readFileSync(bundle, 'utf8'))
    }
    const sent = forms.at(-1)
    expect(sent).toMatch(/"file":"worker\.js"/)
    expect(sent).toMatch(/"sources":\[[^\]]*"src\/worker\.ts"/)
  })
})
