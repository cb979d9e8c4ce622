// What `npm run wallet` does, under the project's own Node: it runs src/sandbox/wallet as it stands.

import { parseArgs } from 'node:util'
import { prepare, send } from '../../src/sandbox/wallet/wallet.ts'

const USAGE = `npm run wallet -- '<openid4vp uri>' [--format dc+sd-jwt|mso_mdoc|jwt_vc_json] [--type <credential type>] [--reason <reason code>]`

await answer().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})

async function answer() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { format: { type: 'string' }, type: { type: 'string' }, reason: { type: 'string' } },
  })
  const [uri] = positionals
  if (uri === undefined || positionals.length > 1) throw new Error(USAGE)
  const { reason = 'verified', format, type } = values
  const prepared = await prepare({ uri, reason, format, credential_type: type }, reach, Date.now() / 1000)
  if (!prepared.ok) {
    const { detail, status, body } = prepared.error
    if (status === undefined) throw new Error(detail)
    throw new Error(
      status === 0 ? `${detail} Nobody answered: ${body}.` : `${detail} HTTP ${status}: ${body}`,
    )
  }
  const { request, presented, does, post } = prepared.value
  console.log(`asks      ${request.clientId}`)
  for (const { format, type, claims } of presented) {
    console.log(`presents  ${type} as ${format}: ${claims.map(({ path }) => path.join('.')).join(', ')}`)
  }
  console.log(`          ${does}`)
  const answered = await send(post, reach)
  console.log(`verifier  HTTP ${answered.status} ${answered.body}`)
  if (answered.status !== 200) process.exitCode = 2
}

/** Over HTTP: to whoever the request names. Each call is told. */
async function reach(url, init = {}) {
  console.log(`calls     ${init.method ?? 'GET'} ${url}`)
  return fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(15_000) })
}
