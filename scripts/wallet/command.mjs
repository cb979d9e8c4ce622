// The command `npm run wallet`: runs sandbox/wallet under the project's own Node.

import { parseArgs } from 'node:util'
import { postForm, prepare } from '../../sandbox/wallet/wallet.ts'
import { plainLine } from '../admin/print.mjs'

const USAGE = `npm run wallet -- '<openid4vp uri>' [flags]

The test wallet responds to a request of test mode. The uri is wallet_request.uri of the verification.

  --format <format>  dc+sd-jwt, mso_mdoc or jwt_vc_json; default: one that is requested
  --type <type>      the credential type to present, such as pid
  --reason <code>    respond with this one error: a code of docs/statuses-and-reasons.md
  --help             shows this text

Exit codes: 0 accepted, 1 no response was sent, 2 refused by the verifier.`

await respond().catch((error) => {
  console.error(error.message === USAGE ? USAGE : plainLine(error.message))
  process.exitCode = 1
})

async function respond() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      format: { type: 'string' },
      type: { type: 'string' },
      reason: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return console.log(USAGE)
  const [uri] = positionals
  if (uri === undefined || positionals.length > 1) throw new Error(USAGE)
  const { reason = 'verified', format, type } = values
  const prepared = await prepare({ uri, reason, format, credential_type: type }, call, Date.now() / 1000)
  if (!prepared.ok) {
    const { detail, status, body } = prepared.error
    if (status === undefined) throw new Error(detail)
    throw new Error(status === 0 ? `${detail} No response: ${body}.` : `${detail} HTTP ${status}: ${body}`)
  }
  const { request, presented, description, post } = prepared.value
  print(`asks      ${request.clientId}`)
  for (const { format, type, claims } of presented) {
    print(`presents  ${type} as ${format}: ${claims.map(({ path }) => path.join('.')).join(', ')}`)
  }
  print(`          ${description}`)
  const response = await postForm(post, call)
  print(`verifier  HTTP ${response.status} ${response.body}`)
  if (response.status !== 200) process.exitCode = 2
}

/** Calls any address of the request over HTTP, and prints each call. */
async function call(url, init = {}) {
  print(`calls     ${init.method ?? 'GET'} ${url}`)
  return fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(15_000) })
}

/** Prints one line. The verifier chooses parts of it, so control characters are escaped. */
function print(line) {
  console.log(plainLine(line))
}
