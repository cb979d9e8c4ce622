// The wallet of a create request (api/wallets): the first named wallet that can answer the request.

import type { CreateRequest } from '../../../api/requests.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type ChosenWallet, type Lowering, lowerFor } from '../../../session/request/lowered-wallet.ts'
import type { Finding } from '../../../wallets/lowering.ts'
import { walletProfile } from '../../../wallets/profiles/index.ts'
import type { FieldError, RequestError } from '../../edge/problems.ts'

/**
 * Returns the wallet, and the request reduced to what this wallet supports; `undefined` if no wallet is
 * named. If no named wallet can answer, the error lists the members that each wallet does not support.
 */
export async function requestedWallet(
  { wallet }: Pick<CreateRequest, 'wallet'>,
  lowering: Lowering,
): Promise<Result<ChosenWallet | undefined, RequestError>> {
  if (wallet === undefined) return ok(undefined)
  const chosen = [wallet].flat().map((id, index) => ({
    pointer: typeof wallet === 'string' ? '/wallet' : `/wallet/${index}`,
    profile: walletProfile(id),
  }))
  const unknown = chosen.filter(({ profile }) => profile === undefined)
  if (unknown.length > 0) {
    return err({ code: 'invalid_request', errors: unknown.map(({ pointer }) => ({ pointer, ...UNKNOWN })) })
  }
  const errors: FieldError[] = []
  for (const { pointer, profile } of chosen) {
    if (profile === undefined) continue
    const lowered = await lowerFor(profile, lowering)
    if (lowered.ok) return lowered
    errors.push(...lowered.error.map((finding) => toError(finding, pointer)))
  }
  return err({ code: 'policy_unsatisfiable', errors: errors.slice(0, MAXIMUM_ERRORS) })
}

const UNKNOWN = { code: 'unknown_wallet', message: 'must be the id of a wallet profile' }
const MAXIMUM_ERRORS = 20

function toError({ member, why }: Finding, pointer: string): FieldError {
  const message = `must be a wallet that supports \`${member}\` of the request: name another wallet, or change that member`
  return { pointer, code: why, message }
}
