// api/types: a PID of a Member State with a type of its own (PID Rulebook 1.7 §4.2). @sd-jwt/sd-jwt-vc issues
// and presents it, with the claims of the published German sample. A foreign wallet selects the query.

import { describe, expect, it } from 'vitest'
import { presentationOf, queryFor, type Telling } from '../../support/people/person.ts'
import type { RelyingParty } from '../../support/service/service.ts'
import { begin, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()

const BASE = 'urn:eudi:pid:1'
const GERMAN = 'urn:eudi:pid:de:1'
const SAMPLE = {
  issuing_country: 'DE',
  given_name: 'ERIKA',
  family_name: 'MUSTERMANN',
  birthdate: '1964-08-12',
  age_equal_or_over: { 18: true },
  address: { locality: 'KÖLN', country: 'DE' },
}
const SCOPE = ['family_name', 'age_over_18', 'address.locality', 'birth_date']
const POLICY = { credential_types: ['pid'], scope: SCOPE, formats: ['dc+sd-jwt'] }

type Answer = { readonly vct: string; readonly policy?: object; readonly rp?: RelyingParty }

/** Responds with a PID of the type. `asked` is the type by which the wallet finds its query. */
async function outcomeOf({ vct, policy = POLICY, rp = stage.rp }: Answer, asked = vct) {
  const { session, request } = await begin(stage, policy, { rp })
  const telling: Telling = { claims: { ...SAMPLE, vct } }
  const presentation = await presentationOf(stage.person, vct, request, telling)
  await stage.service.wallet.present(request, { [queryFor(request, asked)]: [presentation] })
  return rp.poll(session.verification_id)
}

describe('a PID with the type of a Member State', () => {
  it.each([GERMAN, 'urn:eudi:pid:it:1', 'urn:eudi:pid:nl:1', BASE])(
    'is verified as `pid`: %s',
    async (vct) => {
      expect(await outcomeOf({ vct })).toMatchObject({
        status: 'verified',
        checks: Object.fromEntries(SCOPE.map((scope) => [scope, true])),
        assurance_level: 'substantial',
        credential_type: 'pid',
        format: 'dc+sd-jwt',
      })
    },
  )

  it('is not verified if its type is unknown', async () => {
    expect(await outcomeOf({ vct: 'urn:eudi:pid:xx:1' }, BASE)).toMatchObject({
      attempts: [{ reason: { code: 'unknown_credential_type' } }],
    })
  })

  it('is not verified if the query names another type', async () => {
    const claims = [{ path: ['family_name'] }]
    const query = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [BASE] }, claims }
    const poll = await outcomeOf({ vct: GERMAN, policy: { dcql_query: { credentials: [query] } } }, BASE)
    expect(poll.status).not.toBe('verified')
  })

  it('is not verified if its issuer has only an anchor for `*`', async () => {
    const rp = await relyingPartyOf(stage, {
      trust_anchors: [stage.authority.anchor({ credential_types: ['*'] })],
    })
    const poll = await outcomeOf({ vct: GERMAN, rp })
    expect(poll.status).not.toBe('verified')
  })

  it('is reported with a type of the relying party if this type has the same vct', async () => {
    const scopes = { family_name: ['family_name'] }
    const formats = { 'dc+sd-jwt': { meta: { vct_values: [GERMAN] }, scopes } }
    const rp = await relyingPartyOf(stage, {
      credential_types: [{ type: 'german_pid', formats }],
      trust_anchors: [stage.authority.anchor({ credential_types: ['german_pid'] })],
    })
    const policy = { credential_types: ['german_pid'], scope: ['family_name'] }
    expect(await outcomeOf({ vct: GERMAN, rp, policy })).toMatchObject({
      status: 'verified',
      credential_type: 'german_pid',
    })
  })
})
