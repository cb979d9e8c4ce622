// The sources that mutation testing changes, and the tests that must fail for it. Each group runs only its
// own tests, because a mutant in a table or a constant runs all of them.

export const GROUPS = {
  state: group(['src/session/state.ts'], ['session/state.test.ts']),
  decide: group(['src/policy/decide.ts'], ['policy/**']),
  dcql: group(['src/openid4vp/dcql/*.ts'], ['openid4vp/**', 'policy/**']),
  'sd-jwt-vc': group(['src/formats/sd-jwt-vc/verify.ts'], ['formats/*', 'formats/sd-jwt-vc/**']),
  mdoc: group(['src/formats/mdoc/verify.ts'], ['formats/*', 'formats/mdoc/**']),
  'jwt-vc-json': group(['src/formats/jwt-vc-json/verify.ts'], ['formats/*', 'formats/jwt-vc-json/**']),
  x509: group(['src/trust/x509/*.ts'], ['trust/x509/**', 'trust/revocation/**']),
}

function group(mutate, tests) {
  return { mutate, tests: tests.map((each) => `test/${each.endsWith('.ts') ? each : `${each}.test.ts`}`) }
}
