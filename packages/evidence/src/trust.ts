// `trust.json`: what the auditor trusts. Without it, issuers, authorities of time stamps and the service's
// key are as the verifier trusted them.

import { isJsonObject, member, parseJsonObject } from '../../../src/codec/json.ts'
import { type PublicJwk, parsePublicJwk } from '../../../src/crypto/jwk.ts'
import { EVIDENCE } from '../../../src/evidence/limits.ts'
import type { Certificate } from '../../../src/trust/x509/certificate.ts'
import { decodePemCertificates } from '../../../src/trust/x509/pem-certificates.ts'
import { UnreadableError } from './zip-reader.ts'

/** Certificates and keys that the auditor trusts. An absent member was not given. */
export type Trust = {
  readonly issuers?: readonly Certificate[]
  readonly timeStampingAuthorities?: readonly Certificate[]
  readonly serviceKeys?: readonly PublicJwk[]
}

/** Reads the text of `trust.json`. Throws `UnreadableError` for any other text. */
export function readTrust(text: string): Trust {
  const parsed = parseJsonObject(text, EVIDENCE.json)
  if (!parsed.ok) throw new UnreadableError('trust.json is no JSON object')
  const known = ['issuers', 'time_stamping_authorities', 'service_keys']
  const unknown = Object.keys(parsed.value).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new UnreadableError(`trust.json has the unknown member ${unknown}`)
  const issuers = readPems(member(parsed.value, 'issuers'), 'issuers')
  const authorities = readPems(member(parsed.value, 'time_stamping_authorities'), 'time_stamping_authorities')
  const keys = readKeys(member(parsed.value, 'service_keys'))
  return {
    ...(issuers && { issuers }),
    ...(authorities && { timeStampingAuthorities: authorities }),
    ...(keys && { serviceKeys: keys }),
  }
}

function readPems(value: unknown, name: string): readonly Certificate[] | undefined {
  if (value === undefined) return undefined
  const texts = Array.isArray(value) ? value : [undefined]
  return texts.flatMap((text) => {
    const certificates = typeof text === 'string' ? decodePemCertificates(text) : undefined
    if (certificates === undefined)
      throw new UnreadableError(`${name} of trust.json must be a list of PEM texts`)
    return certificates
  })
}

function readKeys(value: unknown): readonly PublicJwk[] | undefined {
  if (value === undefined) return undefined
  const keys = isJsonObject(value) ? member(value, 'keys') : undefined
  const parsed = Array.isArray(keys) ? keys.map(parsePublicJwk) : [undefined]
  if (!parsed.every((key) => key !== undefined))
    throw new UnreadableError('service_keys of trust.json must be a JWK Set')
  return parsed
}
