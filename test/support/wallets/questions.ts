// The six questions of the matrix of wallets, with the claims that answer each of them.

/** Questions of a relying party. */
export type Question = {
  readonly name: string
  readonly creation: Readonly<Record<string, unknown>>
  /** Names of the claims that the policy allows. */
  readonly allowed: readonly string[]
  /** Number of claims of one credential that answer the question, and number of credentials. */
  readonly claims: number
}

/** Protocols of the matrix. Any other protocol of a profile must be among its `unknown_protocols`. */
export const ASKED_PROTOCOLS: readonly string[] = ['openid4vp-1.0', 'haip-1.0']

const NAME = ['given_name', 'family_name']
const AGE = ['age_over_18', 'age_equal_or_over.18']

export const QUESTIONS: readonly Question[] = [
  {
    name: 'over 18',
    creation: { credential_types: ['age_attestation', 'pid', 'mdl'], scope: ['age_over_18'] },
    allowed: AGE,
    claims: 1,
  },
  {
    name: 'over 18, derived',
    creation: { credential_types: ['pid'], scope: ['age_over_18'], allow_derived: true },
    allowed: [...AGE, 'birthdate', 'birth_date'],
    claims: 1,
  },
  {
    name: 'name in the PID',
    creation: { credential_types: ['pid'], scope: NAME },
    allowed: NAME,
    claims: 2,
  },
  {
    name: 'PID in all formats',
    creation: { credential_types: ['pid'], scope: NAME, formats: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'] },
    allowed: NAME,
    claims: 2,
  },
  {
    name: 'mDL',
    creation: { credential_types: ['mdl'], scope: NAME },
    allowed: NAME,
    claims: 2,
  },
  {
    name: 'two credentials',
    creation: { credential_types: ['pid', 'mdl'], scope: ['family_name'], credential_match: 'all' },
    allowed: ['family_name'],
    claims: 2,
  },
]
