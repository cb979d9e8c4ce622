// The package of `npm create wallet-verifier`: its command, the archive of the release, and what a Worker of
// one's own needs beside the archive.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildAll } from '../service/bundle.mjs'
import { ROOT } from '../service/paths.mjs'
import { bundlePrograms } from '../service/programs.mjs'
import { pack } from './pack.mjs'
import { stagePackage } from './self-host.mjs'
import { readJson, sourceFiles } from './source.mjs'

const OWN = 'packages/create/'
const WORKER = `${OWN}worker/`
/** Commands of the folder of a Worker. The archive has the last two. */
const PROGRAMS = {
  dev: 'scripts/dev.mjs',
  deploy: 'scripts/deploy/main.mjs',
  admin: 'scripts/admin.mjs',
  wallet: 'scripts/wallet/command.mjs',
}
/** Writes the variables of a deployment. */
const VARIABLES = 'scripts/worker/production.mjs'

/**
 * Packs the package into `to`. `archive`: the file of the release. `work`: an empty folder. Returns the name
 * of the package, the packages in its programs, and the lock file of a Worker's folder.
 */
export function packCreate({ work, archive, to }, source) {
  const folder = join(work, 'package')
  for (const path of sourceFiles(OWN).filter((one) => !one.startsWith(WORKER)))
    copy(path, join(folder, path.slice(OWN.length)))
  const dist = join(folder, 'dist')
  mkdirSync(dist)
  cpSync(archive, join(dist, `wallet-verifier-${source.version}.tgz`))
  const { bundled, lock } = stageWorker(join(work, 'worker'), source)
  pack({ folder: work, name: 'worker', to: join(dist, 'worker.tgz'), seconds: source.seconds })
  pack({ folder: work, name: 'package', to, seconds: source.seconds })
  return { name: readJson(`${OWN}package.json`).name, bundled, lock }
}

/** Fills the folder `to` with what the archive of the release does not have. */
function stageWorker(to, source) {
  for (const path of sourceFiles(WORKER)) copy(path, join(to, path.slice(WORKER.length)))
  const bundled = bundlePrograms([PROGRAMS.dev, PROGRAMS.deploy, VARIABLES], to)
  stageSourceMap(join(to, 'dist'))
  const lock = stagePackage(to, source, { own: WORKER, programs: PROGRAMS })
  return { bundled, lock }
}

/** The source map of the verifier, which a deployment uploads: `node scripts/frames.mjs` needs it. */
function stageSourceMap(to) {
  const out = mkdtempSync(join(tmpdir(), 'bundles-'))
  try {
    buildAll(out)
    mkdirSync(to, { recursive: true })
    const map = JSON.parse(readFileSync(join(out, 'worker.js.map'), 'utf8'))
    // The packages of a checkout may be elsewhere, by a link.
    map.sources = map.sources.map((source) => source.replace(/^.*?(?=node_modules\/)/, ''))
    writeFileSync(join(to, 'worker.js.map'), JSON.stringify(map))
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

function copy(path, to) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(ROOT, path), to)
}
