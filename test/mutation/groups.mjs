// The sources that mutation testing changes, and the tests that must fail for it. Each group runs only its
// own tests, because a mutant in a table or a constant runs all of them.

/** Each survivor of a group with `isExplained` needs a reason in explained.json. */
export const GROUPS = {
  state: explainedGroup(['src/session/document/state.ts'], ['session/state']),
  decide: explainedGroup(['src/policy/decide.ts'], ['policy/{decide,decide-dcql}']),
  'sd-jwt-vc': explainedGroup(['src/formats/sd-jwt-vc/verify.ts'], ['formats/*', 'formats/sd-jwt-vc/*']),
  mdoc: explainedGroup(['src/formats/mdoc/verify.ts'], ['formats/*', 'formats/mdoc/*']),
  'jwt-vc-json': explainedGroup(
    ['src/formats/jwt-vc-json/verify.ts'],
    ['formats/*', 'formats/jwt-vc-json/*'],
  ),
  'certificate-path': explainedGroup(['src/trust/x509/certificate-path.ts'], ['trust/x509/*']),
  x509: group(
    ['src/trust/x509/*.ts', '!src/trust/x509/certificate-path.ts'],
    ['trust/{x509,revocation}/*', 'trust/anchors/resolve-signer'],
  ),
  dcql: group(
    ['src/openid4vp/dcql/*.ts'],
    [
      'openid4vp/dcql/{claims-path,document-query,match,schema}',
      'openid4vp/response/{match-again,verify-response}',
      'policy/{query,foreign-dcql}',
    ],
  ),
  response: group(
    [
      ...[
        'src/session/response/*.ts',
        'src/session/end/end-session.ts',
        'src/session/document/refusal-family.ts',
      ],
      'src/exchange/{annex-c,claimed-issuer,evaluate-presentations,open-response,unchecked}.ts',
    ],
    [
      ...['session/response/*', 'session/return/*', 'session/verification-session'],
      ...['session/request/sealing', 'session/delivery/{publishing,step-events}', 'session/listing/timeline'],
      ...['session/{refusals-by-time,wallet-activity}', 'session/login/*', 'conformance/oidc/openid-client'],
      'conformance/response/{annex-c,claims-encryption,dc-api,dcql-refusals,declined,jwt-vc-json}',
      'conformance/response/transaction-data-refusals',
      'conformance/outcome/{outcome,policy,receipt,same-device,webhooks}',
      'conformance/request/{by-value,chosen-wallet,dcql-query,unsigned}',
      ...['conformance/protocols/{drafts,eu-age,haip}', 'routes/lists/insights'],
    ],
  ),
}

function group(mutate, tests) {
  return { mutate, tests: tests.map((each) => `test/${each}.test.ts`), isExplained: false }
}

function explainedGroup(mutate, tests) {
  return { ...group(mutate, tests), isExplained: true }
}
