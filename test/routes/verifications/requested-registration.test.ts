// An expiry between settings and creation. The other cases run over HTTP:
// test/conformance/request/over-asking.test.ts.

import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { unregisteredClaims } from '../../../src/routes/verifications/creation/requested-registration.ts'
import { mintCertificate, mintKeys } from '../../support/certificates/certificates.ts'

it('a registration certificate that expired after it was set covers no claims', async () => {
  const exp = 1_800_000_000
  const keys = await mintKeys('P-256')
  const { pem } = await mintCertificate({ subject: 'CN=Shop,2.5.4.97=NTRNL-1', keys })
  const format = 'dc+sd-jwt'
  const meta = { vct_values: ['urn:eudi:pid:1'] }
  const certificate = await new SignJWT({ sub: 'NTRNL-1', exp, credentials: [{ format, meta }] })
    .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt' })
    .sign(keys.privateKey)
  const registration = { certificate, dataset: '{}', encoding: 'compact' as const }
  const settings = { verifier: { certificate_chain_pem: pem, registration }, enforce_registration: true }
  const policy = {
    query: { credentials: [{ id: 'a', format, meta, claims: [{ path: ['sex'] }] }] },
    descriptors: [],
  }
  const at = (now: number) =>
    unregisteredClaims({ scope: ['sex'] } as never, settings as never, {
      policy: policy as never,
      registered: undefined,
      now,
    })
  expect(at(exp * 1000 - 1)).toEqual({ ok: true, value: [] })
  expect(at(exp * 1000)).toMatchObject({
    ok: false,
    error: { code: 'policy_unsatisfiable', errors: [{ code: 'registration_expired', pointer: '/scope' }] },
  })
})
