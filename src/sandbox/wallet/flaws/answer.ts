// Reasons of the families envelope and flow: what is wrong is the answer, not what it presents.

import { encodeBase64url } from '../../../codec/base64url.ts'
import { utf8 } from '../../../codec/bytes.ts'
import type { Flaw } from '../flaw.ts'

export const ANSWER_FLAWS = {
  malformed_response: {
    does: 'answers with neither a presentation nor an error',
    form: () => ({ nothing: 'of use' }),
  },
  limit_exceeded: {
    does: 'answers with a state that is longer than any state',
    form: (form) => ({ ...form, state: 'x'.repeat(600) }),
  },
  missing_state: {
    does: 'leaves out the state',
    parameters: ({ state: _, ...others }) => others,
  },
  unknown_state: {
    does: 'names a state that nobody made',
    error: 'server_error',
    form: (form) => ({ ...form, state: 'unknown' }),
  },
  state_mismatch: {
    does: 'puts another state into the encrypted answer',
    needs: 'encrypted',
    parameters: (parameters) => ({ ...parameters, state: 'another' }),
  },
  encryption_required: {
    does: 'answers in the clear where encryption was asked for',
    needs: 'encrypted',
    inTheClear: true,
  },
  unexpected_encryption: {
    does: 'answers encrypted where nobody asked for that',
    needs: 'plain',
    form: () => ({ response: 'encrypted' }),
  },
  unknown_encryption_key: {
    does: 'encrypts for a key that nobody made',
    needs: 'encrypted',
    jwe: (header) => ({ ...header, kid: 'unknown' }),
  },
  unsupported_encryption: {
    does: 'encrypts in a way that was not offered',
    needs: 'encrypted',
    jwe: (header) => ({ ...header, enc: 'A256CBC-HS512' }),
  },
  decryption_failed: {
    does: 'changes the answer after it was encrypted',
    needs: 'encrypted',
    form: ({ response = '', ...form }) => ({ ...form, response: withOtherTag(response) }),
  },
  invalid_vp_token: {
    does: 'presents nothing, in the wrong form',
    vpToken: () => [],
  },
  invalid_presentation_submission: {
    does: 'does not say which presentation answers what',
    needs: 'definition',
    parameters: (parameters) => ({ ...parameters, presentation_submission: {} }),
  },
  unknown_credential_query: {
    does: 'answers a question that was not asked',
    vpToken: (token) => (isRecord(token) ? { ...token, unasked: Object.values(token)[0] } : token),
    parameters: changeSubmission((entry) => ({ ...entry, id: 'unasked' })),
  },
  wrong_presentation_count: {
    does: 'presents the same credential twice',
    vpToken: (token) =>
      isRecord(token)
        ? Object.fromEntries(Object.entries(token).map(([id, list]) => [id, [list, list].flat()]))
        : token,
    parameters: changeSubmission((entry) => [entry, entry]),
  },
  wallet_error: { does: 'reports an error of its own', error: 'server_error' },
  access_denied: { does: 'declines', error: 'access_denied' },
} as const satisfies Readonly<Record<string, Flaw>>

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Changes the entries of a presentation submission, where there is one. */
function changeSubmission(change: (entry: Readonly<Record<string, unknown>>) => unknown) {
  return (parameters: Readonly<Record<string, unknown>>) => {
    const { presentation_submission: submission, ...others } = parameters
    if (!isRecord(submission) || !Array.isArray(submission.descriptor_map)) return parameters
    const descriptor_map = submission.descriptor_map.filter(isRecord).flatMap((entry) => change(entry))
    return { ...others, presentation_submission: { ...submission, descriptor_map } }
  }
}

/** GCM's tag has 16 bytes. */
function withOtherTag(jwe: string): string {
  return [...jwe.split('.').slice(0, 4), encodeBase64url(utf8('another tag than'))].join('.')
}
