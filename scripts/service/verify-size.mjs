// `node scripts/service/verify-size.mjs`: the size of programs that use packages/verify, bundled and minified
// by esbuild, in bytes of gzip.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ROOT } from './paths.mjs'

const AGE_CHECK = `import { openid4vp, sdJwtVc, verifierOf } from '@wallet-verifier/verify'
export const { createRequest, verifyResponse } = verifierOf({ formats: [sdJwtVc], protocols: [openid4vp] })`
const WHOLE = `export { createRequest, verifyResponse } from '@wallet-verifier/verify'`

/**
 * Measures an age check by SD-JWT VC for a server (with the inflation of the platform) and for a browser, and
 * a program with every format and protocol for a server. `folder`: the installed package.
 */
export async function measureVerify(folder = join(ROOT, 'packages', 'verify')) {
  return {
    server: await sizeOf(AGE_CHECK, folder, 'node'),
    browser: await sizeOf(AGE_CHECK, folder, 'browser'),
    whole: await sizeOf(WHOLE, folder, 'node'),
  }
}

async function sizeOf(contents, resolveDir, condition) {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    ...{ bundle: true, minify: true, write: false, format: 'esm', target: 'es2022', platform: 'neutral' },
    ...{ mainFields: ['module', 'main'], conditions: ['import', condition], external: ['node:*'] },
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [program, bytes] of Object.entries(await measureVerify()))
    console.log(`${program}: ${bytes} bytes`)
}
