// Checks settings with an address that the service calls. The service must be allowed to call the address
// (api/outgoing). A new address must come with the secret that is sent to it.

import { outboundRule } from '../../config.ts'
import { checkOutboundUrl, type UrlError } from '../../net/outbound-url.ts'
import { isSameClient } from '../document/console-sign-in.ts'
import { isSameStore } from '../document/evidence-settings.ts'
import type { SettingsInput, SettingsView } from '../document/settings.ts'

type Check = {
  readonly rules: Parameters<typeof outboundRule>[0]
  readonly livemode: boolean
  /** Reports an error. */
  readonly refuse: (path: string[], message: string) => void
}

/** Rejects an address that the service may not call. Returns true if the service may call the address. */
export function checkUrl(url: string, path: string[], { rules, livemode, refuse }: Check): boolean {
  const checked = checkOutboundUrl(url, outboundRule(rules, livemode))
  if (!checked.ok) refuse(path, URL_ERRORS[checked.error])
  return checked.ok
}

/** Rejects an issuer that the service may not call, and a new client without its secret. */
export function checkConsoleSignIn(
  sent: SettingsInput['console_sign_in'],
  current: SettingsView['console_sign_in'] | undefined,
  check: Check,
): void {
  if (!sent) return
  const isCallable = checkUrl(sent.issuer, ['console_sign_in', 'issuer'], check)
  // OpenID Connect Discovery 1.0 §3: an issuer has no query.
  if (isCallable && sent.issuer.includes('?'))
    check.refuse(['console_sign_in', 'issuer'], 'must not have a query')
  if (sent.client_secret === undefined && !(current && isSameClient(current, sent)))
    check.refuse(['console_sign_in', 'client_secret'], 'is required with a new issuer or client_id')
}

type Push = NonNullable<SettingsInput['evidence']>['push']
type PushView = NonNullable<SettingsView['evidence']>['push']

/** Rejects an object store that the service may not call, and a new store without its secret. */
export function checkPush(sent: Push, current: PushView, check: Check): void {
  if (!sent) return
  const path = ['evidence', 'push', 'endpoint']
  const isCallable = checkUrl(sent.endpoint, path, check)
  if (isCallable && new URL(sent.endpoint).href !== `${new URL(sent.endpoint).origin}/`)
    check.refuse(path, 'must not have a path or a query')
  if (sent.secret_access_key === undefined && !(current && isSameStore(current, sent)))
    check.refuse(
      ['evidence', 'push', 'secret_access_key'],
      'is required with a new endpoint or access_key_id',
    )
}

const URL_ERRORS: Readonly<Record<UrlError, string>> = {
  too_long: 'must have fewer characters',
  malformed: 'must be an absolute URL in plain spelling',
  userinfo: 'must not contain a user name or password',
  fragment: 'must not have a fragment',
  not_https: 'must be https',
  port: 'must be on port 443',
  ip_literal: 'must name a host, not an IP address',
  not_public_name: 'must be a public host name',
  own_host: 'must not point at this service',
}
