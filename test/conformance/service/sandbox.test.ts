// The sandbox over HTTP (api/sandbox, api/trust): the test wallet responds in every format and protocol, in
// test mode only. Every reason is in every-reason.test.ts. Verification of its credentials by other libraries
// is in test/sandbox.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { postForm, prepare } from '../../../sandbox/wallet/wallet.ts'
import root from '../../../src/trust/anchors/sandbox-root.json' with { type: 'json' }
import { expectStatus, OVER_18, type Poll, type RelyingParty } from '../../support/service/service.ts'
import { useStage } from '../../support/service/stage.ts'

const stage = useStage()

/** The verifier's response to the test wallet, and the session after it. */
type Outcome = {
  readonly wallet: { readonly status: number; readonly redirect_uri: string | null } | null
  readonly verification: Poll
}

function ask(rp: RelyingParty, id: string, body: object): Promise<Response> {
  return rp.call('POST', `/v1/test/verify/${id}/outcome`, { body })
}

async function outcomeOf(policy: object, body: object = { reason: 'verified' }, rp = stage.rp) {
  const { verification_id: id } = await rp.create(policy)
  return (await expectStatus(await ask(rp, id, body), 200)) as Outcome
}

const CELLS = [
  ['openid4vp-1.0', 'direct_post.jwt', ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json']],
  ['openid4vp-1.0', 'direct_post', ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json']],
  ['haip-1.0', 'direct_post.jwt', ['dc+sd-jwt', 'mso_mdoc']],
  ['openid4vp-draft24', 'direct_post.jwt', ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json']],
  ['openid4vp-draft24', 'direct_post', ['dc+sd-jwt', 'jwt_vc_json']],
  ['openid4vp-draft18', 'direct_post.jwt', ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json']],
  ['openid4vp-draft18', 'direct_post', ['dc+sd-jwt', 'jwt_vc_json']],
].flatMap(([protocol, response_mode, formats]) =>
  (formats as string[]).map((format) => ({ protocol, response_mode, format })),
)

describe('the test wallet', () => {
  it.each(CELLS)('responds to $protocol by $response_mode in $format', async ({ format, ...request }) => {
    const { protocol, response_mode } = request
    const formats = ['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc']
    const policy = { ...OVER_18, formats, protocol, request_options: { response_mode } }
    expect(await outcomeOf(policy, { reason: 'verified', format })).toMatchObject({
      wallet: { status: 200, redirect_uri: expect.stringContaining('/return#response_code=') },
      verification: {
        status: 'verified',
        format,
        assurance_level: 'high',
        credentials: [{ status: 'valid' }],
      },
    })
  })

  it.each([
    ...[
      ...['malformed_disclosure', 'duplicate_digest', 'unsupported_hash_algorithm', 'invalid_claim'],
      ...['holder_key_missing', 'malformed_holder_binding'],
    ].map((reason) => ({ reason, format: 'dc+sd-jwt', protocol: 'openid4vp-1.0' })),
    ...['unknown_credential_query', 'wrong_presentation_count'].flatMap((reason) =>
      ['dc+sd-jwt', 'mso_mdoc'].map((format) => ({ reason, format, protocol: 'openid4vp-draft24' })),
    ),
  ])(
    'causes a refusal with the reason $reason by $protocol in $format',
    async ({ reason, format, protocol }) => {
      const policy = { ...OVER_18, formats: [format], protocol }
      const { verification } = await outcomeOf(policy, { reason, format })
      expect(verification).toMatchObject({ status: 'pending', attempts: [{ reason: { code: reason } }] })
    },
  )

  it('presents the requested claims of every built-in type', async () => {
    const types: readonly [string, readonly string[]][] = [
      ['pid', ['family_name', 'birthdate', 'nationalities', 'address.locality', 'age_over_65']],
      ['mdl', ['family_name', 'birthdate', 'portrait', 'driving_privileges', 'age_over_18']],
      ['photo_id', ['family_name', 'birthdate', 'person_id', 'age_over_18']],
    ]
    for (const [type, scope] of types) {
      const { verification } = await outcomeOf({ credential_types: [type], scope })
      expect(verification).toMatchObject({ status: 'verified', credential_type: type })
    }
  })

  it('presents credentials of a type that the relying party added', async () => {
    const scopes = { member: { path: ['is_member'], boolean: true }, level: { path: ['level'] } }
    const type = { type: 'club', formats: { 'dc+sd-jwt': { meta: { vct_values: ['urn:club:1'] }, scopes } } }
    const own = stage.authority.anchor({ credential_types: ['*'] })
    for (const trust_anchors of [[], [own], [{ ...own, credential_types: ['club'] }]]) {
      const rp = await stage.service.relyingParty({ credential_types: [type], trust_anchors })
      const policy = { credential_types: ['club'], scope: ['member', 'level'] }
      expect(await outcomeOf(policy, { reason: 'verified' }, rp)).toMatchObject({
        verification: { status: 'verified', credential_type: 'club' },
      })
    }
  })

  it('presents the credential type that the call names, or both requested types if credential_match is all', async () => {
    const both = { credential_types: ['age_attestation', 'pid'], scope: ['age_over_18'] }
    const named = await outcomeOf(both, { reason: 'verified', credential_type: 'pid', format: 'mso_mdoc' })
    expect(named.verification).toMatchObject({
      status: 'verified',
      credential_type: 'pid',
      format: 'mso_mdoc',
    })
    const all = await outcomeOf({ ...both, credential_match: 'all' })
    expect(all.verification.credentials).toHaveLength(2)
  })

  it('can respond several times until the session has ended', async () => {
    const { verification_id: id } = await stage.rp.create()
    for (const reason of ['nonce_mismatch', 'untrusted_issuer', 'verified']) {
      await expectStatus(await ask(stage.rp, id, { reason }), 200)
    }
    const { status, attempts } = await stage.rp.poll(id)
    expect([status, attempts.map((attempt) => attempt.reason.code)]).toEqual([
      'verified',
      ['nonce_mismatch', 'untrusted_issuer'],
    ])
    const over = await expectStatus(await ask(stage.rp, id, { reason: 'verified' }), 409)
    expect(over).toMatchObject({ code: 'verification_already_terminal' })
  })

  it('responds in a session that requires a browser, and the session then waits for the browser', async () => {
    const bound = { ...OVER_18, required_session_binding: 'page' }
    expect((await outcomeOf(bound)).verification).toMatchObject({
      status: 'pending',
      stage: 'awaiting_return',
    })
    expect((await outcomeOf(bound, { reason: 'credential_revoked' })).verification.status).toBe('rejected')
  })

  it('refuses an outcome with an unknown reason, or with a reason that cannot occur in the session', async () => {
    const { verification_id: id } = await stage.rp.create()
    const plain = await expectStatus(await ask(stage.rp, id, { reason: 'unexpected_encryption' }), 422)
    expect(plain).toMatchObject({ detail: expect.stringContaining('direct_post') })
    await expectStatus(await ask(stage.rp, id, { reason: 'sd_hash_mismatch', format: 'mso_mdoc' }), 422)
    await expectStatus(await ask(stage.rp, id, { reason: 'out_of_luck' }), 400)
    expect(await stage.rp.poll(id)).toMatchObject({ status: 'pending', attempts: [] })
  })

  it('can be run as a command', async () => {
    const { verification_id: id, wallet_request } = await stage.rp.create()
    const uri = wallet_request.uri.replaceAll('https://verifier.example', stage.service.server.origin)
    const command = join(import.meta.dirname, '../../../scripts/wallet/command.mjs')
    const run = (...options: string[]) => promisify(execFile)(process.execPath, [command, uri, ...options])
    // The service listens at another address than its BASE_URL: the command can fetch the request, but not
    // post.
    await expect(run('--reason', 'out_of_luck')).rejects.toThrow('is not a reason')
    await expect(run()).rejects.toMatchObject({
      stdout: expect.stringContaining('presents  urn:eu.europa.ec.av:1 as dc+sd-jwt: age_over_18'),
    })
    expect((await stage.rp.poll(id)).stage).toBe('request_fetched')
  })
})

describe('the service in live mode', () => {
  const live = () => {
    const byCertificate = { credential_types: ['age_attestation'], assurance_level: 'low' }
    const trust_anchors = [
      stage.authority.anchor({ name: 'Sandbox' }),
      { ...byCertificate, name: 'Sandbox', x509_ca_pem: stage.service.verifierCa },
    ]
    return stage.service.relyingParty({ livemode: true, trust_anchors })
  }

  it('refuses to produce outcomes with the test wallet', async () => {
    const rp = await live()
    const { verification_id: id } = await rp.create()
    for (const reason of ['verified', 'session_expired', 'canceled_by_relying_party']) {
      const refused = await expectStatus(await ask(rp, id, { reason }), 404)
      expect(refused).toMatchObject({ code: 'verification_not_found' })
    }
    expect(await rp.poll(id)).toMatchObject({ status: 'pending', attempts: [] })
  })

  it.each(['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'])(
    'rejects a credential of the sandbox issuer: %s',
    async (format) => {
      const rp = await live()
      const { verification_id: id, wallet_request } = await rp.create({ ...OVER_18, formats: [format] })
      const call = (url: string, init?: RequestInit) => stage.service.fetch(url, init)
      const task = { uri: wallet_request.uri, reason: 'verified', format }
      const prepared = await prepare(task, call, Math.floor(Date.now() / 1000))
      if (!prepared.ok) throw new Error(prepared.error.detail)
      expect((await postForm(prepared.value.post, call)).status).toBe(400)
      expect(await rp.poll(id)).toMatchObject({
        status: 'pending',
        attempts: [{ reason: { code: 'untrusted_issuer' } }],
      })
    },
  )

  it('refuses the sandbox root as a trust anchor', async () => {
    const anchor = { name: 'x', credential_types: ['pid'], assurance_level: 'low', ...root }
    const refused = await stage.service.admin('POST', '', {
      name: 'x',
      livemode: true,
      trust_anchors: [anchor],
    })
    expect(await expectStatus(refused, 400)).toMatchObject({
      errors: [{ pointer: '/trust_anchors/0/x509_ca_pem' }],
    })
  })
})
