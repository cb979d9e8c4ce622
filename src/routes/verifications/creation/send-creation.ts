// The response to a create request (api/creation).

import type { CreatedVerification } from '../../../api/responses/verifications.ts'
import { encodeBase64 } from '../../../codec/base64url.ts'
import { loadConfig } from '../../../config.ts'
import { REQUEST_BY_VALUE } from '../../../limits.ts'
import { renderQr } from '../../../qr/render.ts'
import { QR_SIZE } from '../../../qr/symbol.ts'
import { resumeAlarms } from '../../../session/alarm/interrupted-alarms.ts'
import type { Creation } from '../../../session/document/results.ts'
import { findPageLanguage } from '../../../session/views/page-language.ts'
import type { AppContext } from '../../edge/context.ts'
import { problem, unsatisfiable } from '../../edge/problems.ts'
import type { CreationFindings } from './creation-findings.ts'

/** Members of the response that do not come from the session, and the choice of an inline QR code. */
type Beside = CreationFindings & { readonly withQrCode: boolean }

/** Sends the result of a create request. */
export function sendCreation(
  c: AppContext,
  creation: Creation,
  { withQrCode, ...findings }: Beside,
): Response {
  if (!creation.ok) {
    if (creation.error === 'conflict') return problem(c, 'idempotency_conflict')
    if (creation.error === 'erased') return problem(c, 'verification_ended')
    if (creation.error === 'deleted') return problem(c, 'invalid_token')
    const message = `must not be \`redirect_uri\` for this request: passed by value, it is longer than ${REQUEST_BY_VALUE.bytes} bytes`
    const { code, errors } = unsatisfiable({
      pointer: '/request_options/client_id_prefix',
      code: 'too_long',
      message,
    })
    return problem(c, code, { errors })
  }
  // A stored session shows that storage can be written, so alarms that a storage failure interrupted are
  // resumed. A replay resumes them, too.
  resumeAlarms(c.env, Date.now())
  const { session, replayed } = creation.value
  const { verification_id, status, session_url, ...rest } = session
  const body: Omit<CreatedVerification, 'wallet_request'> & Pick<typeof session, 'wallet_request'> = {
    verification_id,
    status,
    session_url,
    qr_code: withQrCode && rest.wallet_request !== null ? drawInline(rest.wallet_request.uri) : null,
    deep_link: `${loadConfig(c.env).serviceScheme}://verify/${verification_id}`,
    ...rest,
    locale: findPageLanguage(rest.locale),
    ...findings,
  }
  const headers = replayed ? { 'Idempotent-Replayed': 'true' } : {}
  return c.json(body, 201, {
    'Cache-Control': 'no-store',
    Location: `/v1/verify/${verification_id}`,
    ...headers,
  })
}

/** Returns the QR code as a data URL without the `data:` at its start. */
function drawInline(uri: string): string {
  const picture = renderQr(uri, { size: QR_SIZE.standard, type: 'image/png' })
  if (!picture.ok) throw new Error('a wallet request does not fit a QR')
  return `image/png;base64,${encodeBase64(picture.value)}`
}
