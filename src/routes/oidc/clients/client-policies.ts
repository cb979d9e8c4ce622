// Checks the policies of a client by the rules for the creation of a verification (api/creation). Returns
// warnings about claims that a policy requests and the client cannot get.

import { createRequest, withPreset } from '../../../api/requests.ts'
import type { ClientWarning } from '../../../api/responses/oidc.ts'
import type { Json, JsonObject } from '../../../codec/json.ts'
import { describeIssue } from '../../../codec/schema.ts'
import { type Policy, waivesHolderBinding } from '../../../policy/policy.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import { effectivePolicy, type OidcClientInput, type OidcPolicy } from '../../../relying-party/oidc/client.ts'
import { err, ok, type Result } from '../../../result.ts'
import { claimName } from '../../../session/tokens/claim-names.ts'
import { isCondition } from '../../../session/tokens/released-claims.ts'
import { readMessage } from '../../edge/cloudflare.ts'
import type { AppContext } from '../../edge/context.ts'
import type { RequestError } from '../../edge/problems.ts'
import { partErrors } from '../../edge/validate.ts'
import { type Prepared, prepareSession } from '../../verifications/creation/prepare-session.ts'
import type { CLIENT_MESSAGES } from './client-messages.ts'

/** Members that a login adds to its policy when it creates a session. */
type LoginMembers = { readonly return_url?: string; readonly locale?: string }

/** Runs the checks of a create request for a policy. The error says why the policy allows no session. */
export async function preparePolicy(
  c: AppContext,
  client: OidcClientInput,
  policy: OidcPolicy,
  { settings, ...members }: LoginMembers & { readonly settings: Settings },
): Promise<Result<Prepared, RequestError>> {
  const { name: _, front_channel: __, ...request } = effectivePolicy(client, policy)
  const body: JsonObject = { ...request, ...members }
  const parsed = createRequest.safeParse(body, { error: describeIssue })
  if (!parsed.success)
    return err({ code: 'invalid_request', errors: partErrors(createRequest, body as Json, []) })
  return prepareSession(c, withPreset(parsed.data), settings)
}

/** Returns the warnings about a client, or the error of the first policy that allows no session. */
export async function judgePolicies(
  c: AppContext,
  client: OidcClientInput,
  settings: Settings,
): Promise<Result<readonly ClientWarning[], RequestError>> {
  const warnings: ClientWarning[] = []
  for (const [i, policy] of client.policies.entries()) {
    const at = `/policies/${i}`
    const prepared = await preparePolicy(c, client, policy, { settings })
    if (!prepared.ok) {
      const { code, errors } = prepared.error
      return err({ code, errors: errors.map((one) => ({ ...one, pointer: at + one.pointer })) })
    }
    const { policy: built } = prepared.value.creation
    const subjectError = checkSubject(client, built)
    if (subjectError !== undefined) {
      const message = await readMessage(c.env.ASSETS, subjectError, { policy: policy.name })
      return err({
        code: 'invalid_request',
        errors: [{ pointer: '/subject/claims', code: 'invalid_value', message }],
      })
    }
    if (requestsValues(built) && !hasEncryption(client)) {
      const code = 'values_without_encryption_key'
      warnings.push({ pointer: at, code, message: await readMessage(c.env.ASSETS, code) })
    }
  }
  return ok(warnings)
}

function hasEncryption(client: OidcClientInput): boolean {
  return client.id_token_encrypted_response_alg !== null || client.userinfo_encrypted_response_alg !== null
}

function requestsValues({ descriptors }: Policy): boolean {
  return descriptors.some(({ scopes }) => scopes.some((scope) => !isCondition(scope)))
}

/**
 * Returns the error if a policy cannot identify the person for a pairwise `sub`. At least one credential must
 * have every claim that identifies the person. Each such credential must be bound to its holder. Without this
 * binding, everyone who has seen the credential could log in to the account.
 */
function checkSubject(
  { subject }: OidcClientInput,
  policy: Policy,
): keyof typeof CLIENT_MESSAGES | undefined {
  if (subject.type === 'transient') return undefined
  const identifying = policy.descriptors.filter(({ scopes }) => {
    const names = scopes.map(claimName)
    return subject.claims.every((claim) => names.includes(claim))
  })
  if (identifying.length === 0) return 'oidc_subject_claims'
  const isOpen = identifying.some(({ query_id }) => waivesHolderBinding(policy, query_id))
  return isOpen ? 'oidc_subject_binding' : undefined
}
