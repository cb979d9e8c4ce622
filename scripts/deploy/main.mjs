// Runs a deployment: environment, preflight, bundles, then one upload for each Worker. Any error ends it
// before the first upload.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { BACKGROUND_BUNDLE, BUNDLE, ensureBundle } from '../service/bundle.mjs'
import { ensureReference } from '../service/reference.mjs'
import { readWranglerToml } from '../service/workerd-config.mjs'
import { ENVIRONMENT_FILE, environmentOfBuild, readEnvironment } from './environment.mjs'
import { addressErrors, bundleErrors, preflight } from './preflight.mjs'
import { localSecrets, uploadAll, whenReady } from './upload.mjs'

const OPTIONS = {
  'dry-run': { type: 'boolean', default: false },
  'env-file': { type: 'string' },
  'no-domain': { type: 'boolean', default: false },
}

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  console.error(error.message)
  return 1
})

async function main(args) {
  const { values } = parseArgs({ args, options: OPTIONS })
  const ofBuild = environmentOfBuild(process.env)
  if (ofBuild !== undefined && values['env-file'] === undefined) return deployBuild(ofBuild, values)
  const environment = readEnvironment(values['env-file'], process.env)
  const { errors, notes } = await preflight(environment, { now: Date.now(), local: localSecrets() })
  if (errors.length > 0) return refuse(errors)
  ensureBundle()
  const missing = ensureReference()
  if (missing !== undefined) return refuse([`API reference: ${missing}`])
  const sizeOf = (path) => gzipSync(readFileSync(path), { level: 9 }).length
  const [gzipped, background] = [BUNDLE, BACKGROUND_BUNDLE].map(sizeOf)
  const unfit = bundleErrors({ gzipped, background, wrangler: readWranglerToml(), now: Date.now() })
  if (unfit.length > 0) return refuse(unfit)
  console.log(`Ready to deploy ${environment.BASE_URL} (${Math.ceil(gzipped / 1024)} KB).`)
  for (const note of notes) console.log(`  ${note}`)
  uploadAll(environment, { isDryRun: values['dry-run'], isRouted: values['no-domain'] })
  if (values['dry-run']) console.log('\nNothing was uploaded.')
  else console.log(await whenReady(environment.BASE_URL))
  return 0
}

/**
 * Deploys in Workers Builds, after the button. Cloudflare has the secrets already, so only the address can be
 * checked.
 */
function deployBuild(environment, values) {
  const errors = [
    ...addressErrors(environment),
    ...(environment.BASE_URL === undefined ? ['BASE_URL: must be in [vars] of wrangler.toml'] : []),
  ]
  if (errors.length > 0) return refuse(errors)
  uploadAll(environment, { isDryRun: values['dry-run'], isRouted: values['no-domain'] })
  return 0
}

function refuse(errors) {
  console.error('Nothing was uploaded:')
  for (const error of errors) console.error(`  ${error}`)
  console.error(`\nVariables come from ${ENVIRONMENT_FILE} or from the environment (docs/operating.md).`)
  return 1
}
