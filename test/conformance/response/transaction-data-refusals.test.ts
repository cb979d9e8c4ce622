// api/transactions: errors of transaction_data, by place and code.

import { describe, expect, it } from 'vitest'
import { AGE } from '../../support/people/person.ts'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { useStage } from '../../support/service/stage.ts'
import { LOGIN, PAYMENT } from '../../support/service/transaction-data.ts'

const stage = useStage()

const PAY = { ...OVER_18, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT] }

describe('api/transactions: the service refuses a create request', () => {
  const one = (changes: object) => ({ ...PAY, transaction_data: [{ ...PAYMENT, ...changes }] })
  const payload = (changes: object) => one({ payload: { ...PAYMENT.payload, ...changes } })
  const SD_JWT = {
    id: 'age',
    format: 'dc+sd-jwt',
    meta: { vct_values: [AGE] },
    claims: [{ path: ['age_over_18'] }],
  }
  const MDOC = {
    id: 'mdl',
    format: 'mso_mdoc',
    meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
    claims: [{ path: ['org.iso.18013.5.1', 'family_name'] }],
  }
  const VC = {
    id: 'vc',
    format: 'jwt_vc_json',
    meta: { type_values: [['AgeAttestationCredential']] },
    claims: [{ path: ['credentialSubject', 'age_over_18'] }],
  }
  const query = (credentials: object[], changes: object = {}, sets?: object[]) => ({
    dcql_query: { credentials, ...(sets === undefined ? {} : { credential_sets: sets }) },
    transaction_data: [{ ...PAYMENT, ...changes }],
  })

  it.each<[string, object, number, string, string]>([
    ['an empty transaction_data', { ...PAY, transaction_data: [] }, 400, '', 'too_small'],
    ['eleven transactions', { ...PAY, transaction_data: Array(11).fill(PAYMENT) }, 400, '', 'too_big'],
    ['a transaction without a type', { ...PAY, transaction_data: [{}] }, 400, '/0/type', 'required'],
    ['an unknown type', one({ type: 'urn:x' }), 400, '/0/type', 'unknown_transaction_data_type'],
    [
      'a type called constructor',
      one({ type: 'constructor' }),
      400,
      '/0/type',
      'unknown_transaction_data_type',
    ],
    ['an unknown member', one({ note: 'x' }), 400, '/0/note', 'unknown_member'],
    ['an unknown member of the payload', payload({ note: 'x' }), 400, '/0/payload/note', 'unknown_member'],
    ['a payment without an amount', payload({ amount: undefined }), 400, '/0/payload/amount', 'required'],
    ['an amount as text', payload({ amount: '12' }), 400, '/0/payload/amount', 'invalid_type'],
    [
      'a currency that is not a three-letter code',
      payload({ currency: 'Euro' }),
      400,
      '/0/payload/currency',
      'invalid_format',
    ],
    [
      'both execution_date and recurrence',
      payload({ execution_date: '2027-01-31', recurrence: { frequency: 'MNTH' } }),
      400,
      '/0/payload',
      'invalid_value',
    ],
    [
      'an unsupported hash',
      one({ transaction_data_hashes_alg: ['md5'] }),
      400,
      '/0/transaction_data_hashes_alg/0',
      'invalid_value',
    ],
    [
      'an unknown query in credential_ids',
      one({ credential_ids: ['pid'] }),
      400,
      '/0/credential_ids/0',
      'unknown_credential_query',
    ],
    [
      'a query that credential_ids names twice',
      one({ credential_ids: ['age_attestation', 'age_attestation'] }),
      400,
      '/0/credential_ids/1',
      'unknown_credential_query',
    ],
    [
      'the same transaction twice',
      { ...PAY, transaction_data: [PAYMENT, PAYMENT] },
      400,
      '/1',
      'repeated_transaction',
    ],
    [
      'an mdoc in credential_ids',
      query([MDOC], { credential_ids: ['mdl'] }),
      422,
      '/0/credential_ids/0',
      'format_confirms_nothing',
    ],
    [
      'a W3C credential in credential_ids',
      query([VC], { credential_ids: ['vc'] }),
      422,
      '/0/credential_ids/0',
      'format_confirms_nothing',
    ],
    ['a query with only an mdoc', query([MDOC]), 422, '/0', 'nothing_confirms'],
    [
      'a policy with an alternative credential that cannot confirm',
      { ...OVER_18, transaction_data: [PAYMENT] },
      422,
      '/0',
      'confirmation_avoidable',
    ],
    [
      'a confirming credential that is only in an optional credential set',
      query([SD_JWT, { ...SD_JWT, id: 'again' }], { credential_ids: ['again'] }, [
        { options: [['age']] },
        { options: [['again']], required: false },
      ]),
      422,
      '/0',
      'confirmation_avoidable',
    ],
    [
      'a credential without holder binding',
      query([{ ...SD_JWT, require_cryptographic_holder_binding: false }], { credential_ids: ['age'] }),
      422,
      '/0/credential_ids/0',
      'holder_binding_waived',
    ],
    [
      'a confirming query with multiple',
      query([{ ...SD_JWT, multiple: true }], { credential_ids: ['age'] }),
      422,
      '/0/credential_ids/0',
      'several_credentials',
    ],
    [
      'two transactions without a common hash algorithm',
      { ...PAY, transaction_data: [PAYMENT, { ...LOGIN, transaction_data_hashes_alg: ['sha-512'] }] },
      422,
      '',
      'no_common_hash',
    ],
    ['draft 24', { ...PAY, protocol: 'openid4vp-draft24', request_options: {} }, 422, '', 'not_in_protocol'],
    ['draft 18', { ...PAY, protocol: 'openid4vp-draft18', request_options: {} }, 422, '', 'not_in_protocol'],
  ])('because of %s', async (_, body, status, pointer, code) => {
    const refused = await stage.rp.call('POST', '/v1/verify', { body })
    expect(await expectStatus(refused, status)).toMatchObject({
      code: status === 400 ? 'invalid_request' : 'policy_unsatisfiable',
      errors: [{ pointer: `/transaction_data${pointer}`, code }],
    })
  })
})
