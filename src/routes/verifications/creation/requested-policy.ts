// Policy of a create request: by types and scopes, or by the caller's own `dcql_query` (api/creation).

import type { CreateRequest } from '../../../api/requests.ts'
import { requestedPolicy as buildRequestedPolicy } from '../../../exchange/requested-policy.ts'
import { FORMATS } from '../../../formats/index.ts'
import type { Protocol } from '../../../openid4vp/protocols/protocol.ts'
import type { RegisteredCredential } from '../../../openid4vp/registration/registration-certificate.ts'
import { buildDcqlPolicy, DCQL_ERRORS } from '../../../policy/build-dcql-policy.ts'
import type { CredentialTypeDefinition, Policy } from '../../../policy/policy.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import type { Result } from '../../../result.ts'
import type { RequestError } from '../../edge/problems.ts'
import type { Options } from './request-options.ts'

/** Builds the policy of a request with the types, the formats and the trust lists of the settings. */
export function requestedPolicy(
  body: CreateRequest,
  settings: Settings,
  { protocol, options, definitions, registered = [] }: PolicyOptions,
): Result<Policy, RequestError> {
  const formats = body.formats ?? settings.formats ?? undefined
  return buildRequestedPolicy(
    { ...body, formats },
    {
      protocol,
      responseMode: options.response_mode,
      formats: FORMATS,
      definitions,
      hasTrustLists: settings.anchor_sets.some((name) => body.anchor_sets?.includes(name) ?? true),
      registered,
      dcql: { buildPolicy: buildDcqlPolicy, errors: DCQL_ERRORS },
    },
  )
}

type PolicyOptions = {
  readonly protocol: Protocol
  readonly options: Options
  /** Known credential types of the relying party (`typeDefinitions`). */
  readonly definitions: readonly CredentialTypeDefinition[]
  /** Registered credentials of the relying party (`loadRegistered`). */
  readonly registered: readonly RegisteredCredential[] | undefined
}
