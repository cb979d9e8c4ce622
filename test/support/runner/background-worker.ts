// The Worker for background work beside the tests inside workerd. It is the bundle of a deployment, and is
// called as there, by RPC.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { BACKGROUND_BUNDLE, buildAll } from '../../../scripts/service/bundle.mjs'
import { BACKGROUND_CONFIG } from '../../../scripts/service/paths.mjs'
import { readWranglerToml } from '../../../scripts/service/workerd-config.mjs'

/** Builds the Worker from the current sources. Returns its options for miniflare. */
export function backgroundWorker() {
  const { compatibilityDate = '', compatibilityFlags } = readWranglerToml(BACKGROUND_CONFIG)
  const name = basename(BACKGROUND_BUNDLE)
  const out = mkdtempSync(join(tmpdir(), 'background-'))
  try {
    buildAll(out, [name])
    const contents = readFileSync(join(out, name), 'utf8')
    return {
      name: 'wallet-verifier-background',
      modules: [{ type: 'ESModule' as const, path: name, contents }],
      compatibilityDate,
      compatibilityFlags: compatibilityFlags.flatMap((flag) => flag ?? []),
    }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
