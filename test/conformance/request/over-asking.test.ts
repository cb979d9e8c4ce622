// api/creation, api/verifier: what a relying party requests beyond its registration certificate (ETSI TS 119
// 475), which wallets refuse. Certificates are made with jose and @peculiar/x509.

import { decodeJwt, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import type { RequestPayload } from '../../support/people/wallet.ts'
import { type CreatedSession, expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { identityOf } from '../../support/wallets/good-request.ts'

const stage = useStage()

const ID = 'NTRNL-12345678'
const leaf = await mintLeaf(await mintRoot(), { subject: `CN=Shop,2.5.4.97=${ID}` })
const dataset = { identifier: ID }

const AGE = {
  format: 'mso_mdoc',
  meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' },
  claim: [{ path: ['eu.europa.ec.eudi.pid.1', 'age_over_18'] }],
}
const PID = { credential_types: ['pid'], formats: ['mso_mdoc'] }
const OVER_18 = { ...PID, scope: ['age_over_18'] }

async function shop(settings: object = {}, claims: object = {}): Promise<RelyingParty> {
  const certificate = await new SignJWT({ sub: ID, credentials: [AGE], ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt' })
    .sign(leaf.keys.privateKey)
  const { kty, crv, x, y, d } = leaf.privateJwk
  const registration = { certificate, dataset }
  const verifier = { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: leaf.pem, registration }
  return relyingPartyOf(stage, { verifier, ...settings })
}

type Created = {
  readonly warnings: readonly { readonly pointer: string; readonly code: string; readonly message: string }[]
}
type Problem = { readonly code: string; readonly errors: Created['warnings'] }

const create = async (rp: RelyingParty, body: object) =>
  (await expectStatus(await rp.call('POST', '/v1/verify', { body }), 201)) as Created
const refuse = async (rp: RelyingParty, body: object) =>
  (await expectStatus(await rp.call('POST', '/v1/verify', { body }), 422)) as Problem
const placesOf = ({ warnings }: Created) => warnings.map(({ code, pointer }) => `${code} ${pointer}`)

const ENFORCED = { enforce_registration: true }

describe('a create request of a registered relying party', () => {
  it('has no warning if everything that it requests is registered, whether registration is enforced or not', async () => {
    expect((await create(await shop(), OVER_18)).warnings).toEqual([])
    expect((await create(await shop(ENFORCED), OVER_18)).warnings).toEqual([])
  })

  it('has a warning for each unregistered scope, or is refused if the settings enforce registration', async () => {
    const body = { ...PID, scope: ['age_over_18', 'family_name'] }
    const warnings = [
      {
        pointer: '/scope/1',
        code: 'not_registered',
        message:
          'is not in your registration certificate for pid (mso_mdoc): request less, name other `formats`, or have it registered',
      },
    ]
    expect((await create(await shop(), body)).warnings).toEqual(warnings)
    expect(await refuse(await shop(ENFORCED), body)).toMatchObject({
      code: 'policy_unsatisfiable',
      errors: warnings,
    })
  })

  it('is compared with the registration of each further identity, too', async () => {
    const second = await mintLeaf(await mintRoot(), { subject: `CN=Shop,2.5.4.97=${ID}` })
    const registered = async (claim: readonly string[]) => {
      const credentials = [
        { ...AGE, claim: claim.map((name) => ({ path: ['eu.europa.ec.eudi.pid.1', name] })) },
      ]
      return new SignJWT({ sub: ID, credentials })
        .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt' })
        .sign(leaf.keys.privateKey)
    }
    const partyWith = async (claim: readonly string[]) => {
      const registration = { certificate: await registered(['age_over_18', 'family_name']), dataset }
      const other = { ...identityOf(second), registration: { certificate: await registered(claim), dataset } }
      const verifier = { ...identityOf(leaf), registration, further: [other] }
      return relyingPartyOf(stage, { verifier, ...ENFORCED })
    }
    const body = { ...PID, scope: ['age_over_18', 'family_name'] }
    const { errors } = await refuse(await partyWith(['age_over_18']), body)
    expect(errors.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(['not_registered /scope/1'])
    expect(placesOf(await create(await partyWith(['age_over_18', 'family_name']), body))).toEqual([])
  })

  it('requests only the registered types of the PID', async () => {
    const typesOf = async (...vct_values: string[]) => {
      const claim = [{ path: ['family_name'] }]
      const credentials = [{ format: 'dc+sd-jwt', meta: { vct_values }, claim }]
      const rp = await shop(ENFORCED, { credentials })
      const body = { credential_types: ['pid'], scope: ['family_name'], formats: ['dc+sd-jwt'] }
      const { warnings, wallet_request } = (await create(rp, body)) as Created & CreatedSession
      const request = await (await stage.service.fetch(wallet_request.request_uri)).text()
      const { dcql_query } = decodeJwt<Pick<RequestPayload, 'dcql_query'>>(request)
      return [warnings, ...dcql_query.credentials.map(({ meta }) => meta.vct_values)]
    }
    expect(await typesOf('urn:eudi:pid:1')).toEqual([[], ['urn:eudi:pid:1']])
    expect(await typesOf('urn:eudi:pid:de:1')).toEqual([[], ['urn:eudi:pid:de:1']])
    const both = ['urn:eudi:pid:1', 'urn:eudi:pid:de:1']
    expect(await typesOf(...both)).toEqual([[], both])
  })

  it('has a warning for an unregistered format, and for `allow_derived` if the birth date is not registered', async () => {
    const both = { credential_types: ['pid'], scope: ['age_over_18'] }
    const [warning] = (await create(await shop(), both)).warnings
    expect([warning?.pointer, warning?.message]).toEqual([
      '/scope/0',
      expect.stringContaining('pid (dc+sd-jwt):'),
    ])
    expect(placesOf(await create(await shop(), { ...OVER_18, allow_derived: true }))).toEqual([
      'not_registered /allow_derived',
    ])
  })

  it('has a warning for each unregistered claim of a dcql_query, and for a credential query without claims', async () => {
    const claims = [...AGE.claim, { path: ['eu.europa.ec.eudi.pid.1', 'family_name'] }]
    const { claim, ...pid } = AGE
    const dcql_query = {
      credentials: [
        { id: 'a', ...pid, claims },
        { id: 'b', ...pid },
      ],
    }
    const places = ['/dcql_query/credentials/0/claims/1', '/dcql_query/credentials/1']
    expect(placesOf(await create(await shop(), { dcql_query }))).toEqual(
      places.map((one) => `not_registered ${one}`),
    )
    const { errors } = await refuse(await shop(ENFORCED), { dcql_query })
    expect(errors.map(({ pointer }) => pointer)).toEqual(places)
  })

  it.each([
    ['cannot be read', { credentials: [{}] }, 'registration_unreadable'],
    ['is for another subject', { sub: 'NTRNL-1' }, 'registration_other_subject'],
  ])(
    'has a warning, or is refused under enforce_registration, if the certificate %s',
    async (_, claims, code) => {
      expect(placesOf(await create(await shop({}, claims), OVER_18))).toEqual([`${code} /scope`])
      const { errors } = await refuse(await shop(ENFORCED, claims), OVER_18)
      expect(errors).toMatchObject([{ code, pointer: '/scope' }])
    },
  )

  it('is refused if the settings enforce registration and the registration certificate was removed', async () => {
    const rp = await shop(ENFORCED)
    const removed = await expectStatus(
      await rp.call('PATCH', '/v1/relying_party', { body: { verifier: null } }),
      200,
    )
    expect(removed).toMatchObject({
      enforce_registration: true,
      warnings: [{ code: 'registration_missing' }],
    })
    await expect.poll(async () => (await rp.call('POST', '/v1/verify', { body: OVER_18 })).status).toBe(422)
    expect((await refuse(rp, OVER_18)).errors).toMatchObject([{ code: 'registration_missing' }])
  })

  it('with a repeated Idempotency-Key returns the first session again, even if the settings now enforce registration', async () => {
    const rp = await shop()
    const body = { ...PID, scope: ['family_name'] }
    const again = () => rp.call('POST', '/v1/verify', { body, headers: { 'Idempotency-Key': 'once' } })
    const first = (await expectStatus(await again(), 201)) as { verification_id: string }
    await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body: ENFORCED }), 200)
    await refuse(rp, body)
    expect(await expectStatus(await again(), 201)).toMatchObject({ verification_id: first.verification_id })
  })
})

describe('an intended use', () => {
  const NAME = { ...AGE, claim: [{ path: ['eu.europa.ec.eudi.pid.1', 'family_name'] }] }
  const FAMILY_NAME = { ...PID, scope: ['family_name'] }

  async function shopOfUses(settings: object = {}, hasDefault = true): Promise<RelyingParty> {
    const certify = async (credential: object) => {
      const certificate = await new SignJWT({ sub: ID, credentials: [credential] })
        .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt' })
        .sign(leaf.keys.privateKey)
      return { certificate, dataset }
    }
    const [age, name] = await Promise.all([AGE, NAME].map(certify))
    const uses = [
      { intended_use: 'wine', ...age },
      { intended_use: 'delivery', ...name },
    ]
    const verifier = { ...identityOf(leaf), ...(hasDefault && { registration: age }), uses }
    return relyingPartyOf(stage, { verifier, ...settings })
  }

  it('selects the registration for a create request: the same claim has no warning for one use, and a warning or an error for another use', async () => {
    const rp = await shopOfUses()
    const created = (await create(rp, { ...FAMILY_NAME, intended_use: 'delivery' })) as Created &
      CreatedSession
    expect(created.warnings).toEqual([])
    expect(await rp.poll(created.verification_id)).toMatchObject({ intended_use: 'delivery' })
    const wine = { ...FAMILY_NAME, intended_use: 'wine' }
    expect(placesOf(await create(rp, wine))).toEqual(['not_registered /scope/0'])
    const { errors } = await refuse(await shopOfUses(ENFORCED), wine)
    expect(errors.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(['not_registered /scope/0'])
  })

  it('is refused if the settings do not have this use', async () => {
    const expected = [{ code: 'unknown_intended_use', pointer: '/intended_use' }]
    const unknown = { ...OVER_18, intended_use: 'beer' }
    for (const rp of [await shopOfUses(), await shop(), await relyingPartyOf(stage)])
      expect((await refuse(rp, unknown)).errors).toMatchObject(expected)
    expect((await create(await shopOfUses(), OVER_18)).warnings).toEqual([])
  })

  it('is suggested by the warning if it covers a create request that names no use', async () => {
    const rp = await shopOfUses()
    const messages = async (scope: readonly string[]) =>
      (await create(rp, { ...PID, scope })).warnings.map(({ message }) => message).join()
    expect(await messages(['family_name'])).toContain('; `intended_use` "delivery" covers the request')
    expect(await messages(['family_name', 'given_name'])).not.toContain('`intended_use`')
    const [named] = (await create(rp, { ...FAMILY_NAME, intended_use: 'wine' })).warnings
    expect(named?.message).not.toContain('`intended_use`')
  })

  it('is required if the settings enforce registration and have registrations for uses only', async () => {
    const rp = await shopOfUses(ENFORCED, false)
    const { errors } = await refuse(rp, OVER_18)
    expect(errors).toMatchObject([{ code: 'not_registered', pointer: '/scope/0' }])
    expect(errors[0]?.message).toContain('`intended_use` "wine" covers the request')
    expect((await create(rp, { ...OVER_18, intended_use: 'wine' })).warnings).toEqual([])
    expect((await create(await shopOfUses({}, false), OVER_18)).warnings).toEqual([])
  })

  it('may be in the policy of a login, where the same rules apply', async () => {
    const rp = await shopOfUses(ENFORCED)
    const register = (members: object) => {
      const policies = [{ name: 'person', ...FAMILY_NAME, ...members }]
      const body = { name: 'Shop', redirect_uris: ['https://client.example/callback'], policies }
      return rp.call('POST', '/v1/oidc_clients', { body })
    }
    const refusedWith = async (members: object) =>
      ((await expectStatus(await register(members), 422)) as Problem).errors.map(({ pointer }) => pointer)
    expect(await refusedWith({ intended_use: 'wine' })).toEqual(['/policies/0/scope/0'])
    expect(await refusedWith({ intended_use: 'beer' })).toEqual(['/policies/0/intended_use'])
    const policies = [{ name: 'person', intended_use: 'delivery' }]
    const registered = await register({ intended_use: 'delivery' })
    expect(await expectStatus(registered, 201)).toMatchObject({ policies })
  })
})
