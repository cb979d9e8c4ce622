// Certificates (RFC 5280), leaf first: their content, and if each is signed by the next.

import { encodeHex } from '../../../../src/codec/bytes.ts'
import { sha256 } from '../../../../src/crypto/digest.ts'
import { type Certificate, decodeCertificate, isSelfIssued } from '../../../../src/trust/x509/certificate.ts'
import { checkValidityPeriod } from '../../../../src/trust/x509/certificate-path.ts'
import { verifyCertificateSignature } from '../../../../src/trust/x509/certificate-signature.ts'
import { formatDistinguishedName } from '../../../../src/trust/x509/distinguished-name.ts'
import type { GeneralName } from '../../../../src/trust/x509/general-name.ts'
import type { Context } from '../context.ts'
import { type Check, check, type Part, part, type Row, row } from '../report.ts'
import { timeText } from '../rows.ts'
import type { Bytes } from '../source.ts'

/** Most certificates that are shown. */
const SHOWN = 20

/** Returns a part for each certificate of a chain. `of`: whose chain it is. */
export async function certificateParts(
  chain: readonly Bytes[],
  { now }: Pick<Context, 'now'>,
  of = '',
): Promise<readonly Part[]> {
  const certificates = chain.map((bytes) => decodeCertificate(bytes.slice()))
  return Promise.all(
    chain.slice(0, SHOWN).map(async (bytes, i) => {
      const place = chain.length === 1 ? 'Certificate' : `Certificate ${i + 1} of ${chain.length}`
      const title = of === '' ? place : `${of}: ${place}`
      const certificate = certificates[i]
      if (certificate === undefined) {
        const broken = check(
          'certificate',
          'fails',
          'the bytes are no X.509 certificate in strict DER',
          CLAUSE,
        )
        return part(title, CLAUSE, [row('length', `${bytes.length} bytes`)], [broken])
      }
      const checks = [checkDates(certificate, now), await checkIssuer(certificate, certificates[i + 1], i)]
      return part(title, CLAUSE, await certificateRows(certificate), checks)
    }),
  )
}

const CLAUSE = 'RFC 5280 4.1'

function checkDates(certificate: Certificate, now: number): Check {
  const refusal = checkValidityPeriod(certificate, now)
  const at = `at ${timeText(now)}`
  if (refusal === undefined) return check('validity period', 'holds', `valid ${at}`, 'RFC 5280 4.1.2.5')
  const words = refusal.reason === 'certificate_expired' ? 'expired' : 'not yet valid'
  return check('validity period', 'fails', `${words} ${at}`, 'RFC 5280 4.1.2.5')
}

async function checkIssuer(
  certificate: Certificate,
  next: Certificate | undefined,
  i: number,
): Promise<Check> {
  const clause = 'RFC 5280 6.1.3'
  const name = 'signature of the issuer'
  const issuer = next ?? (isSelfIssued(certificate) ? certificate : undefined)
  if (issuer === undefined)
    return check(
      name,
      'not_checked',
      'the certificate of its issuer is not inside: it may be an anchor',
      clause,
    )
  const result = await verifyCertificateSignature(certificate, issuer)
  const by = issuer === certificate ? 'itself, so it proves nothing' : `certificate ${i + 2}`
  if (result === 'valid')
    return check(name, 'holds', `signed by ${by}; the chain is not trusted by this`, clause)
  if (result === 'invalid') return check(name, 'fails', `not signed by ${by.split(',')[0]}`, clause)
  return check(name, 'not_checked', 'its algorithm or the key of its issuer is not accepted', clause)
}

async function certificateRows(certificate: Certificate): Promise<readonly Row[]> {
  const { subject, issuer, notBefore, notAfter, serialNumber, subjectKey, extensions } = certificate
  const { basicConstraints, keyUsage, extendedKeyUsage, subjectAltNames, authorityKeyIdentifier } = extensions
  const usages = Object.entries(keyUsage ?? {}).flatMap(([name, isSet]) => (isSet ? [name] : []))
  return [
    row('subject', formatDistinguishedName(subject) ?? 'empty', ['Whom it certifies.', 'RFC 5280 4.1.2.6']),
    row('issuer', formatDistinguishedName(issuer) ?? 'empty', ['Who signed it.', 'RFC 5280 4.1.2.4']),
    row('serial number', encodeHex(serialNumber)),
    row('not before', timeText(notBefore), ['Start of its validity.', 'RFC 5280 4.1.2.5']),
    row('not after', timeText(notAfter), ['End of its validity.', 'RFC 5280 4.1.2.5']),
    row('key', keyText(subjectKey), ['Its public key.', 'RFC 5280 4.1.2.7']),
    ...subjectAltNames.map((name) =>
      row('subject alternative name', nameText(name), ['A further name of the subject.', 'RFC 5280 4.2.1.6']),
    ),
    ...(usages.length > 0
      ? [row('key usage', usages.join(', '), ['What the key may be used for.', 'RFC 5280 4.2.1.3'])]
      : []),
    ...(extendedKeyUsage ?? []).map((usage) =>
      row('extended key usage', USAGES[usage] ?? usage, ['For which purpose.', 'RFC 5280 4.2.1.12']),
    ),
    row('authority', basicConstraints?.ca ? 'yes: it may sign certificates' : 'no', [
      'If it may sign other certificates.',
      'RFC 5280 4.2.1.9',
    ]),
    ...(authorityKeyIdentifier
      ? [
          row('authority key identifier', encodeHex(authorityKeyIdentifier), [
            'Key of its issuer. A query can name it.',
            'OpenID4VP 1.0 6.1.1.1',
          ]),
        ]
      : []),
    row('SHA-256', encodeHex(await sha256(certificate.encoded)), [
      'Fingerprint; in base64url it is the x509_hash.',
      'OpenID4VP 1.0 5.9.3',
    ]),
  ]
}

const USAGES: Readonly<Record<string, string>> = {
  '1.0.18013.5.1.2': '1.0.18013.5.1.2 (signs mobile driving licences)',
  '1.0.18013.5.1.6': '1.0.18013.5.1.6 (reader authentication)',
  '1.0.18013.5.1.8': '1.0.18013.5.1.8 (signs VICALs)',
  '1.3.6.1.5.5.7.3.1': '1.3.6.1.5.5.7.3.1 (TLS server)',
  '1.3.6.1.5.5.7.3.8': '1.3.6.1.5.5.7.3.8 (time stamps)',
}

function keyText(key: Certificate['subjectKey']): string {
  if (key === undefined) return 'weak or unknown'
  return key.type === 'ec' ? key.curve : key.type === 'rsa' ? 'RSA' : 'Ed25519'
}

function nameText(name: GeneralName): string {
  return 'value' in name && typeof name.value === 'string' ? `${name.form}: ${name.value}` : name.form
}
