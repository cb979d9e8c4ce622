// Warnings about a registration certificate, each by one change of settings that have none. The certificates
// are made with jose and @peculiar/x509.

import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { SettingsView } from '../../src/relying-party/document/settings.ts'
import { registrationWarnings } from '../../src/relying-party/verifier/registration-warnings.ts'
import { mintCertificate, mintKeys } from '../support/certificates/certificates.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const ID = 'NTRNL-12345678'
const keys = await mintKeys('P-256')

const AGE = {
  format: 'mso_mdoc',
  meta: { doctype_value: 'eu.europa.ec.av.1' },
  claim: [{ path: ['eu.europa.ec.av.1', 'age_over_18'] }],
}
const MEMBER = { format: 'dc+sd-jwt', meta: { vct_values: ['urn:club'] }, claim: [{ path: ['number'] }] }
const CLAIMS = { sub: ID, exp: NOW / 1000 + 1, credentials: [AGE, MEMBER] }
const CLUB = {
  name: 'club',
  formats: { 'dc+sd-jwt': { identifiers: ['urn:club'], scopes: { number: { path: ['number'] } } } },
}

type Changes = {
  readonly claims?: object
  readonly subject?: string
  readonly settings?: Partial<SettingsView>
}

async function warningsOf({ claims = CLAIMS, subject = `2.5.4.97=${ID}`, settings = {} }: Changes = {}) {
  const certificate = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt' })
    .sign(keys.privateKey)
  const { pem } = await mintCertificate({ subject: `CN=Shop,${subject}`, keys })
  const registration = { certificate, dataset: '{}', encoding: 'compact' as const }
  const verifier = { certificate_chain_pem: pem, registration }
  const view = {
    verifier,
    further_verifiers: [],
    reader_certificates: [],
    credential_types: [CLUB],
    enforce_registration: false,
    ...settings,
  }
  return registrationWarnings(view as never, NOW)
}

const codesOf = async (changes?: Changes) =>
  (await warningsOf(changes)).map(({ code, pointer }) => `${code} ${pointer}`)

const CERTIFICATE = '/verifier/registration/certificate'
const readerOf = async (subject: string, options: object = {}) => {
  const { pem } = await mintCertificate({ subject, keys, ...options })
  return { certificate_chain_pem: pem, domains: ['shop.example'] }
}

describe('a registration certificate', () => {
  it('causes a warning if the only reader certificate does not name its subject', async () => {
    const [named, unnamed] = await Promise.all([`CN=R,2.5.4.97=${ID}`, 'CN=R'].map((one) => readerOf(one)))
    const warningsWith = (...reader_certificates: object[]) =>
      codesOf({ settings: { reader_certificates } as never })
    expect(await warningsWith(unnamed!)).toEqual(['registration_other_subject /verifier/reader_certificates'])
    expect(await warningsWith(named!, unnamed!)).toEqual([])
  })

  it('causes a warning if the first reader certificate of a domain does not name its subject, because wallets compare only this certificate', async () => {
    const [named, unnamed] = await Promise.all([`CN=R,2.5.4.97=${ID}`, 'CN=R'].map((one) => readerOf(one)))
    const expired = await readerOf('CN=R', { notAfter: new Date(NOW - 1) })
    const elsewhere = { ...unnamed!, domains: ['elsewhere.example'] }
    const codesWith = (...reader_certificates: object[]) =>
      codesOf({ settings: { reader_certificates } as never })
    const code = 'registration_other_subject /verifier/reader_certificates'
    expect(await codesWith(unnamed!, named!)).toEqual([code])
    expect(await codesWith(named!, elsewhere)).toEqual([code])
    expect(await codesWith({ ...named!, domains: ['shop.example', 'elsewhere.example'] }, elsewhere)).toEqual(
      [],
    )
    expect(await codesWith(expired, named!)).toEqual([])
  })

  it('a registration certificate that covers every added type causes no warning', async () => {
    expect(await codesOf()).toEqual([])
  })

  it.each([
    ['has expired', { claims: { ...CLAIMS, exp: NOW / 1000 } }, `registration_expired ${CERTIFICATE}`],
    [
      'cannot be read',
      { claims: { ...CLAIMS, credentials: [{}] } },
      `registration_unreadable ${CERTIFICATE}`,
    ],
    [
      'is for another subject',
      { claims: { ...CLAIMS, sub: 'NTRNL-1' } },
      `registration_other_subject ${CERTIFICATE}`,
    ],
    [
      'names no subject',
      { claims: { ...CLAIMS, sub: undefined } },
      `registration_other_subject ${CERTIFICATE}`,
    ],
    [
      'is beside a certificate without an identifier',
      { subject: 'O=Shop' },
      `registration_other_subject ${CERTIFICATE}`,
    ],
    [
      'is beside a certificate of a different organization',
      { subject: `2.5.4.97=NTRNL-2,2.5.4.5=${ID}` },
      `registration_other_subject ${CERTIFICATE}`,
    ],
    [
      'is for the customer of another intermediary',
      { claims: { ...CLAIMS, intermediary: { sub: 'NTRNL-3' } } },
      `registration_other_subject ${CERTIFICATE}`,
    ],
    [
      'covers no known type',
      { claims: { ...CLAIMS, credentials: [] } },
      `registration_covers_nothing ${CERTIFICATE}`,
    ],
    [
      'does not cover an added type',
      { claims: { ...CLAIMS, credentials: [AGE] } },
      'type_not_registered /credential_types/0',
    ],
  ])('a registration certificate that %s causes one warning', async (_, changes, warning) => {
    expect(await codesOf(changes)).toEqual([warning])
  })

  it('may belong to a natural person, or to the intermediary that sends the requests', async () => {
    expect(await codesOf({ subject: `2.5.4.5=${ID}` })).toEqual([])
    const claims = { ...CLAIMS, sub: 'NTRNL-1', intermediary: { sub: ID } }
    expect(await codesOf({ claims })).toEqual([])
  })

  it('that does not cover all scopes of an added type causes a warning with the missing scopes', async () => {
    const scopes = {
      number: { path: ['number'] },
      age_over_NN: { path: ['age', 'NN'] },
      level: { path: ['level'] },
    }
    const type = { ...CLUB, formats: { 'dc+sd-jwt': { identifiers: ['urn:club'], scopes } } }
    const claims = {
      ...CLAIMS,
      credentials: [{ ...MEMBER, claim: [{ path: ['number'] }, { path: ['age', '21'] }] }],
    }
    const [warning, ...others] = await warningsOf({ claims, settings: { credential_types: [type] } })
    expect(others).toEqual([])
    expect(warning?.values).toMatchObject({ scopes: 'level (dc+sd-jwt)' })
  })

  it('is required if enforce_registration is on', async () => {
    const enforced = { enforce_registration: true, verifier: null }
    expect(await codesOf({ settings: enforced })).toEqual(['registration_missing /enforce_registration'])
    expect(await codesOf({ settings: { ...enforced, enforce_registration: false } })).toEqual([])
  })
})

describe('the registration of a further identity', () => {
  it('has its own warning with its own pointer, even if the registration of verifier is good', async () => {
    const certificate = await new SignJWT({ ...CLAIMS, exp: NOW / 1000 })
      .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt' })
      .sign(keys.privateKey)
    const { pem } = await mintCertificate({ subject: `CN=Shop,2.5.4.97=${ID}`, keys })
    const expired = { certificate, dataset: '{}', encoding: 'compact' as const }
    const further_verifiers = [
      { certificate_chain_pem: pem },
      { certificate_chain_pem: pem, registration: expired },
    ]
    expect(await codesOf({ settings: { further_verifiers } })).toEqual([
      'registration_expired /verifier/further/1/registration/certificate',
    ])
  })
})

describe('the registrations for intended uses', () => {
  const certify = (claims: object) =>
    new SignJWT({ ...CLAIMS, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt' })
      .sign(keys.privateKey)
  const warningsWith = async (claimsOfUses: readonly object[], settings: object = {}) => {
    const { pem } = await mintCertificate({ subject: `CN=Shop,2.5.4.97=${ID}`, keys })
    const certificates = await Promise.all(claimsOfUses.map(certify))
    const uses = certificates.map((certificate, i) => ({
      intended_use: `use ${i}`,
      certificate,
      dataset: '{}',
    }))
    const verifier = { certificate_chain_pem: pem, uses }
    return codesOf({ settings: { verifier, ...settings } as never })
  }

  it('each have their own warning with their own pointer', async () => {
    expect(await warningsWith([{}, { exp: NOW / 1000 }, { credentials: [] }])).toEqual([
      'registration_expired /verifier/uses/1/certificate',
      'registration_covers_nothing /verifier/uses/2/certificate',
    ])
  })

  it('cause a warning about an added type only if none of them covers this type', async () => {
    expect(await warningsWith([{ credentials: [AGE] }, { credentials: [MEMBER] }])).toEqual([])
    expect(await warningsWith([{ credentials: [AGE] }, { credentials: [AGE] }])).toEqual([
      'type_not_registered /credential_types/0',
    ])
  })

  it('are enough for enforce_registration, and are compared with the reader certificates', async () => {
    expect(await warningsWith([{}], { enforce_registration: true })).toEqual([])
    const reader_certificates = [await readerOf('CN=R')]
    expect(await warningsWith([{}], { reader_certificates })).toEqual([
      'registration_other_subject /verifier/reader_certificates',
    ])
  })
})
