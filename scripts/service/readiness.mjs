// Texts that `npm start` prints about `/readyz`.

import { request } from './request.mjs'

/** `/readyz` waits up to 7 s for what it reads. */
const TIMEOUT_MS = 20_000
/** Warnings for which the start has sentences of its own (start.mjs). */
const PRINTED_BEFORE = ['self_made_verifier_certificate', 'client_ip_header_missing']
const DAY = 'YYYY-MM-DD'.length

/** Prints what `/readyz` says. */
export async function printReadiness(origin, baseUrl) {
  const readiness = (await request('GET', `${origin}/readyz`, { timeoutMs: TIMEOUT_MS })).json()
  const { line, warnings } = readinessLines(readiness, baseUrl)
  for (const warning of warnings) console.error(warning)
  console.log(line)
}

/** Returns the line about the readiness, and a line for each warning. `readiness`: the body of `/readyz`. */
export function readinessLines({ status, warnings }, baseUrl) {
  const shown = warnings.filter(({ code }) => !PRINTED_BEFORE.includes(code))
  return {
    line: status === 'ready' ? `Ready: ${baseUrl}` : `Not ready: ${baseUrl}`,
    warnings: shown.map((warning) => `Warning: ${sentence(warning)}`),
  }
}

function sentence({ code, expires_at, ...facts }) {
  if (code === 'verifier_certificate_not_valid') {
    const when =
      Date.parse(expires_at) < Date.now() ? `expired on ${expires_at.slice(0, DAY)}` : 'is not valid yet'
    return `The certificate of the verifier ${when}: wallets refuse every new request (docs/runbooks/signing-certificate.md).`
  }
  if (code === 'storage_not_writable') return 'Storage cannot be written (docs/runbooks/full-disk.md).'
  if (code === 'directory_unavailable')
    return 'The directory of relying parties cannot be read (docs/runbooks/damaged-storage.md).'
  const members = Object.entries({ ...(expires_at && { expires_at }), ...facts })
  const list = members.map(([name, value]) => `, ${name}: ${value}`).join('')
  return `${code}${list} (docs/api/running.md).`
}
