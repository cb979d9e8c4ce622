// Which part of a DCQL query a DeviceRequest can express.

import { describe, expect, it } from 'vitest'
import { documentQuery } from '../../../src/openid4vp/dcql/document-query.ts'
import type { CredentialQuery, DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'

const MDL = 'org.iso.18013.5.1.mDL'
const PID = 'eu.europa.ec.eudi.pid.1'

const mdoc = (id: string, docType: string, changes: Partial<CredentialQuery> = {}): CredentialQuery => ({
  id,
  format: 'mso_mdoc',
  meta: { doctype_value: docType },
  claims: [{ path: ['ns', 'age_over_18'] }],
  ...changes,
})
const sdJwt: CredentialQuery = {
  id: 'sd',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:eudi:pid:1'] },
  claims: [{ path: ['age_over_18'] }],
}
const element = { nameSpace: 'ns', element: 'age_over_18', intentToRetain: false }

describe('the document request', () => {
  it('has one document for each mdoc query', () => {
    expect(documentQuery({ credentials: [mdoc('a', MDL), mdoc('b', PID)] })).toEqual({
      documents: [
        { queryId: 'a', docType: MDL, elements: [element] },
        { queryId: 'b', docType: PID, elements: [element] },
      ],
      useCases: [{ mandatory: true, documentSets: [[0, 1]] }],
    })
  })

  it.each<[string, NonNullable<DcqlQuery['credential_sets']>]>([
    ['one credential set', [{ options: [['a', 'b']] }]],
    ['several credential sets', [{ options: [['b']] }, { options: [['a']] }]],
  ])('has one use case with all documents if all are required by %s', (_, credential_sets) => {
    const query = { credentials: [mdoc('a', MDL), mdoc('b', PID)], credential_sets }
    expect(documentQuery(query)?.useCases).toEqual([{ mandatory: true, documentSets: [[0, 1]] }])
  })

  it('has one document and no use cases if only one option of the credential set is an mdoc', () => {
    const query: DcqlQuery = {
      credentials: [sdJwt, mdoc('a', MDL)],
      credential_sets: [{ options: [['sd'], ['a']] }],
    }
    expect(documentQuery(query)).toEqual({
      documents: [{ queryId: 'a', docType: MDL, elements: [element] }],
      useCases: null,
    })
  })

  it('has no document for a query that no credential set names', () => {
    const query = { credentials: [mdoc('a', MDL), mdoc('b', PID)], credential_sets: [{ options: [['b']] }] }
    expect(documentQuery(query)).toEqual({
      documents: [{ queryId: 'b', docType: PID, elements: [element] }],
      useCases: null,
    })
  })

  it('has one use case for each credential set, if one of the sets has several options', () => {
    const query: DcqlQuery = {
      credentials: [mdoc('a', MDL), mdoc('b', PID), mdoc('c', 'c')],
      credential_sets: [{ options: [['a']] }, { options: [['b'], ['c']] }],
    }
    expect(documentQuery(query)?.useCases).toEqual([
      { mandatory: true, documentSets: [[0]] },
      { mandatory: true, documentSets: [[1], [2]] },
    ])
  })

  it('omits options of other formats, and has no use case for a credential set without mdoc options', () => {
    const query: DcqlQuery = {
      credentials: [sdJwt, mdoc('a', MDL), mdoc('b', PID), mdoc('c', 'c')],
      credential_sets: [
        { options: [['sd'], ['b'], ['a', 'c']] },
        { options: [['c']], required: false },
        { options: [['sd']], required: false },
      ],
    }
    const found = documentQuery(query)
    expect(found?.documents.map(({ queryId }) => queryId)).toEqual(['a', 'b', 'c'])
    expect(found?.useCases).toEqual([
      { mandatory: true, documentSets: [[1], [0, 2]] },
      { mandatory: false, documentSets: [[2]] },
    ])
  })

  it('has only the first claim set of each query', () => {
    const claims = [
      { id: 'x', path: ['ns', 'birth_date'] },
      { id: 'y', path: ['ns', 'age_over_18'] },
    ]
    const found = documentQuery({ credentials: [mdoc('a', MDL, { claims, claim_sets: [['y'], ['x']] })] })
    expect(found?.documents[0]?.elements).toEqual([element])
  })

  it('has the value intent_to_retain of each claim', () => {
    const claims = [{ path: ['ns', 'portrait'], intent_to_retain: true }, { path: ['ns', 'age_over_18'] }]
    const found = documentQuery({ credentials: [mdoc('a', MDL, { claims })] })
    expect(found?.documents[0]?.elements).toEqual([
      { nameSpace: 'ns', element: 'portrait', intentToRetain: true },
      element,
    ])
  })
})

const withoutClaims: CredentialQuery = { id: 'a', format: 'mso_mdoc', meta: { doctype_value: MDL } }

describe('no document request is made', () => {
  it.each<[string, DcqlQuery]>([
    ['if a credential in another format is required', { credentials: [sdJwt, mdoc('a', MDL)] }],
    [
      'if a required set has no option with mdocs only',
      { credentials: [sdJwt, mdoc('a', MDL)], credential_sets: [{ options: [['sd', 'a']] }] },
    ],
    [
      'if one of two required sets has no option with mdocs only',
      {
        credentials: [sdJwt, mdoc('a', MDL)],
        credential_sets: [{ options: [['a']] }, { options: [['sd']] }],
      },
    ],
    [
      'for a query of another format with a doctype_value',
      { credentials: [mdoc('a', MDL, { format: 'dc+sd-jwt' })] },
    ],
    ['for a query without a doctype_value', { credentials: [mdoc('a', MDL, { meta: {} })] }],
    [
      'if one of two claims has values',
      {
        credentials: [
          mdoc('a', MDL, {
            claims: [{ path: ['ns', 'age_over_18'] }, { path: ['ns', 'sex'], values: [1] }],
          }),
        ],
      },
    ],
    [
      'if the only claim has values',
      { credentials: [mdoc('a', MDL, { claims: [{ path: ['ns', 'age_over_18'], values: [true] }] })] },
    ],
    ['for a query without claims', { credentials: [withoutClaims] }],
    ['for two queries of the same document type', { credentials: [mdoc('a', MDL), mdoc('b', MDL)] }],
    [
      'if no credential set has an option with mdocs only',
      { credentials: [sdJwt], credential_sets: [{ options: [['sd']], required: false }] },
    ],
  ])('%s', (_, query) => {
    expect(documentQuery(query)).toBeUndefined()
  })
})
