// Check of the time stamp over the manifest (RFC 3161, EN 319 162-1 §4.4).

import { sha256 } from '../../../src/crypto/digest.ts'
import { NAMES } from '../../../src/evidence/container/names.ts'
import { TIME_STAMP } from '../../../src/evidence/limits.ts'
import { checkAuthority, checkTimeStampToken } from '../../../src/evidence/time-stamp/time-stamp.ts'
import type { CaseFile } from './case-file.ts'
import { AS_TRUSTED } from './check-files.ts'
import type { Reporter } from './report.ts'
import type { Trust } from './trust.ts'

const DETAILS = {
  malformed: 'the token is malformed',
  rejected: 'the authority refused the query',
  wrong_digest: 'the time stamp is about another manifest',
  wrong_nonce: 'the time stamp has another nonce',
  wrong_time: 'the time stamp has another time',
  wrong_certificate: 'a certificate of the token is not the one that was signed with',
  wrong_usage: 'the certificate of the signer is not for time stamps alone',
  invalid_signature: 'the signature of the time stamp is invalid, or its algorithm is not accepted',
  untrusted_authority: 'no time-stamping authority of trust.json certifies the signer',
} as const

/**
 * Checks the time stamp. Certificates are checked at the time of the stamp, so an expired certificate is no
 * fault. `at`: the time of the check, in Unix seconds. Returns the time of the stamp.
 */
export async function checkTimeStamp(
  caseFile: CaseFile,
  { trust, at }: { readonly trust: Trust; readonly at: number },
  reporter: Reporter,
): Promise<number | undefined> {
  const { manifest, manifestBytes, files, index } = caseFile
  const line = { file: NAMES.timeStamp, clause: 'RFC 3161 2.4.2' }
  const token = files.get(NAMES.timeStamp)
  if (!manifest.timeStamp) {
    if (token === undefined) reporter.absent('time_stamp', 'the evidence was made without a time stamp', line)
    else reporter.fail('time_stamp', 'the manifest names no time stamp, and there is one', line)
    return undefined
  }
  if (token === undefined) {
    reporter.fail('time_stamp', 'the manifest names a time stamp that is missing', line)
    return undefined
  }
  const authentic = await checkTimeStampToken(token, { digest: await sha256(manifestBytes) })
  if (!authentic.ok) {
    reporter.fail('time_stamp', DETAILS[authentic.error], line)
    return undefined
  }
  const { genTime, certificate } = authentic.value
  reporter.pass('time_stamp', {
    ...line,
    detail: `${new Date(genTime * 1000).toISOString()}${ending(certificate.notAfter, at)}`,
  })
  const decided = Date.parse(index.decided_at) / 1000
  const isAfter = genTime >= decided - TIME_STAMP.seconds && genTime <= at
  reporter.expect(
    'time_stamp_order',
    isAfter,
    'the time stamp is older than the decision, or is in the future',
    line,
  )
  const { timeStampingAuthorities: authorities } = trust
  // Without authorities the certificates of the token are checked among themselves.
  const trusted = await checkAuthority(
    authentic.value,
    authorities ?? authentic.value.data.certificates,
    genTime,
  )
  if (authorities === undefined) {
    if (!trusted.ok && trusted.error === 'wrong_certificate')
      reporter.fail('time_stamp_authority', DETAILS.wrong_certificate, line)
    else reporter.absent('time_stamp_authority', AS_TRUSTED, line)
  } else reporter.expect('time_stamp_authority', trusted.ok, trusted.ok ? '' : DETAILS[trusted.error], line)
  return genTime
}

/** Says when the certificate of the signer ended, if it did. */
function ending(notAfter: number, at: number): string {
  const end = new Date(notAfter * 1000).toISOString()
  return at > notAfter ? `; the authority's certificate ended on ${end}` : ''
}
