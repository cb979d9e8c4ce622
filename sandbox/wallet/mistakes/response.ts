// Mistakes in the authorization response itself: reasons of the families envelope and flow.

import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { utf8 } from '../../../src/codec/bytes.ts'
import { isJsonObject } from '../../../src/codec/json.ts'
import type { Mistake } from '../mistake.ts'

export const RESPONSE_MISTAKES = {
  malformed_response: {
    description: 'responds with neither a presentation nor an error',
    form: () => ({ unrelated: 'parameter' }),
  },
  limit_exceeded: {
    description: 'sends a state that is too long',
    form: (form) => ({ ...form, state: 'x'.repeat(600) }),
  },
  missing_state: {
    description: 'leaves out the state',
    parameters: ({ state: _, ...others }) => others,
  },
  unknown_state: {
    description: 'sends an unknown state',
    error: 'server_error',
    form: (form) => ({ ...form, state: 'unknown' }),
  },
  state_mismatch: {
    description: 'puts another state into the encrypted response',
    requires: 'encrypted',
    parameters: (parameters) => ({ ...parameters, state: 'another' }),
  },
  encryption_required: {
    description: 'responds without the requested encryption',
    requires: 'encrypted',
    inTheClear: true,
  },
  unexpected_encryption: {
    description: 'encrypts although the request does not ask for it',
    requires: 'plain',
    form: () => ({ response: 'encrypted' }),
  },
  unknown_encryption_key: {
    description: 'encrypts to an unknown key',
    requires: 'encrypted',
    jwe: (header) => ({ ...header, kid: 'unknown' }),
  },
  unsupported_encryption: {
    description: 'uses an encryption algorithm that was not offered',
    requires: 'encrypted',
    jwe: (header) => ({ ...header, enc: 'A256CBC-HS512' }),
  },
  decryption_failed: {
    description: 'changes the response after encryption',
    requires: 'encrypted',
    form: ({ response = '', ...form }) => ({ ...form, response: withOtherTag(response) }),
  },
  invalid_vp_token: {
    description: 'sends a vp_token of the wrong form',
    vpToken: () => [],
  },
  invalid_presentation_submission: {
    description: 'sends a presentation_submission without a descriptor map',
    requires: 'definition',
    parameters: (parameters) => ({ ...parameters, presentation_submission: {} }),
  },
  unknown_credential_query: {
    description: 'presents for a credential query that is not in the request',
    vpToken: (token) => (isJsonObject(token) ? { ...token, unasked: Object.values(token)[0] } : token),
    parameters: changeSubmission((entry) => ({ ...entry, id: 'unasked' })),
  },
  wrong_presentation_count: {
    description: 'presents the same credential twice',
    vpToken: (token) =>
      isJsonObject(token)
        ? Object.fromEntries(Object.entries(token).map(([id, list]) => [id, [list, list].flat()]))
        : token,
    parameters: changeSubmission((entry) => [entry, entry]),
  },
  wallet_error: { description: 'reports a server_error', error: 'server_error' },
  access_denied: { description: 'declines', error: 'access_denied' },
} as const satisfies Readonly<Record<string, Mistake>>

/** Changes the descriptor map of a presentation submission. */
function changeSubmission(change: (entry: Readonly<Record<string, unknown>>) => unknown) {
  return (parameters: Readonly<Record<string, unknown>>) => {
    const { presentation_submission: submission, ...others } = parameters
    if (!isJsonObject(submission) || !Array.isArray(submission.descriptor_map)) return parameters
    const descriptor_map = submission.descriptor_map.filter(isJsonObject).flatMap((entry) => change(entry))
    return { ...others, presentation_submission: { ...submission, descriptor_map } }
  }
}

/** Replaces the authentication tag. A tag of GCM has 16 bytes. */
function withOtherTag(jwe: string): string {
  return [...jwe.split('.').slice(0, 4), encodeBase64url(utf8('another tag than'))].join('.')
}
