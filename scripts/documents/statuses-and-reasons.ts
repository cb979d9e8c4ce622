// docs/statuses-and-reasons.md, from the catalogues that the service answers with. What is added here is what a relying party
// does: a reason without such a line does not compile.

import type { PolicyReason } from '../../src/policy/policy.ts'
import { PROBLEMS, type ProblemKind } from '../../src/routes/edge/problems.ts'
import { WALLET_ERRORS, walletError } from '../../src/routes/wallet/wallet-errors.ts'
import type { ReasonCode, ReasonFamily } from '../../src/session/response/reason-code.ts'
import { REASONS } from '../../src/session/response/reasons.ts'
import { type SessionEvent, STATUSES, type Status, transition } from '../../src/session/state.ts'

/** The whole page. */
export function describeStatusesAndReasons(): string {
  return [
    '# Statuses, reasons, errors',
    '<!-- Written by `npm run docs` from src/session/state.ts, src/session/response/reasons.ts and src/routes/edge/problems.ts. -->',
    INTRODUCTION,
    '## Statuses',
    table(['status', 'begins when', 'webhook', 'what you do'], STATUSES.map(statusRow)),
    AFTER_STATUSES,
    '## Reasons',
    REASONS_INTRODUCTION,
    WORDS,
    ...FAMILIES.flatMap(([family, about]) => [
      `### ${family}`,
      about,
      table(['`code`', 'message', 'retryable', 'becomes', 'wallet is told', 'what you do'], rowsOf(family)),
    ]),
    '## Problems',
    PROBLEMS_INTRODUCTION,
    table(
      ['status', '`code`', 'title', 'retryable', 'meaning'],
      Object.entries<ProblemKind>(PROBLEMS).map(([code, { status, title, retryable, meaning }]) => [
        String(status),
        `\`${code}\``,
        title,
        yesNo(retryable),
        meaning,
      ]),
    ),
    '## What wallets are told',
    WALLETS_INTRODUCTION,
    table(
      ['status', '`error`', '`error_description`'],
      Object.values(WALLET_ERRORS)
        .toSorted((a, b) => a.status - b.status)
        .map(({ status, error, description }) => [String(status), `\`${error}\``, description]),
    ),
  ].join('\n\n')
}

const INTRODUCTION = `What a verification can be, why it became that, and what a refused call says. Within \`/v1\` all three lists may grow: treat a code that you do
not know by its \`retryable\`, and a status that you do not know as not verified.`

const EVENTS: Readonly<Record<SessionEvent, string>> = {
  answer_satisfied: 'an authentic answer satisfied the policy',
  answer_unsatisfied: 'an authentic answer did not satisfy the policy',
  wallet_declined: 'the wallet answered `access_denied`',
  time_passed: '`expires_at` passed, whether anybody asked or not',
  relying_party_canceled: 'you canceled it',
}

const DO_BY_STATUS: Readonly<Record<Status, string>> = {
  pending:
    'Wait for the webhook, or poll. Attempts that were not heard are listed in `attempts`; they need nothing from you.',
  verified:
    'Grant what you asked for. With a `dcql_query`, look into `checks` too: claims you made optional may be `false`.',
  rejected: 'Refuse. The person may begin again with another credential; `reason` says what was lacking.',
  declined:
    'Offer another way, or the same again. Whether the person refused or has nothing that fits, nobody can tell.',
  expired:
    'Offer to begin again (`retry_of` names the one that expired). `reason` is that of the last attempt, if there was one.',
  canceled: 'Nothing: it was you.',
}

const AFTER_STATUSES = `A status other than \`pending\` is final: it never changes, and exactly one event tells of it. \`stage\` says how far a pending one is: \`created\`, \`request_fetched\`, \`awaiting_return\`.`

const REASONS_INTRODUCTION = `\`reason\` of a session says why it ended; each entry of \`attempts\` has one too, and says why that answer was not heard. Only an authentic answer ends a session, so most reasons are
those of attempts: the session stays \`pending\`, and a good answer is heard however many bad ones came before. When such a session expires, its \`reason\` is that of the last attempt.
*Retryable* means that asking the same person again may end differently. *Wallet is told* is the HTTP status at the callback; wallets never learn the reason. An answer by the Digital Credentials API gets the
problem \`presentation_refused\` (400) or \`temporarily_unavailable\` (503) for 4xx and 503.`

const PROBLEMS_INTRODUCTION = `What a refused call of yours is answered with: RFC 9457 problem details, the \`code\` below among them, and \`type\` with the address of a page that says the same. *Retryable*: the same request may succeed later, unchanged;
429 and 503 say in \`Retry-After\` when.`

const WALLETS_INTRODUCTION =
  'At `request_uri` and at the callback, wallets are told OAuth errors, and no more than their person can use. You read the reason from the session.'

const FAMILIES: readonly (readonly [ReasonFamily, string])[] = [
  [
    'envelope',
    'What came is no answer to the request that was made: the fault is in the message around the credentials.',
  ],
  ['credential', 'The credential is not what its issuer made, or its issuer did not keep to the format.'],
  ['holder', 'The presenter did not prove to hold the credential, now and for this request.'],
  ['trust', 'Nobody you trust vouches for the issuer, or that could not be found out.'],
  ['status', 'What the issuer has said of the credential since it was issued.'],
  [
    'policy',
    'The credential is authentic, and is not what you asked for. Where a `dcql_query` waives holder binding these are attempts (400): anybody may have presented it.',
  ],
  ['flow', 'What happened to the session as a whole.'],
]

const WALLET = '*wallet*'
const ISSUER = '*issuer*'
const TAMPERING = '*tampering*'
const LATER = '*later*'
const REFUSE = 'Refuse. The same credential ends the same way.'

const WORDS = `| word | what you do |
|---|---|
| ${WALLET} | Nothing. Where one wallet does it again and again, tell its maker. |
| ${ISSUER} | Nothing. Where every credential of one issuer fails so, tell the issuer. |
| ${TAMPERING} | Nothing. No good wallet sends this. |
| ${LATER} | Nothing: the wallet was asked to try again. Where it lasts, look at the source that cannot be reached. |`

/** Reasons that end a session. */
type EndingReason = PolicyReason | 'access_denied' | 'session_expired' | 'canceled_by_relying_party'

const ENDING: Readonly<Record<EndingReason, readonly [Exclude<Status, 'pending' | 'verified'>, string]>> = {
  credential_revoked: ['rejected', REFUSE],
  credential_suspended: ['rejected', 'Refuse. The issuer may lift the suspension: the person asks there.'],
  predicate_false: ['rejected', REFUSE],
  value_mismatch: ['rejected', REFUSE],
  assurance_level_too_low: [
    'rejected',
    'Refuse, or ask for less: `assurance_derivation` shows where the level was lost.',
  ],
  credential_expired: ['rejected', 'Refuse. The person gets a new credential from the issuer.'],
  credential_not_yet_valid: ['rejected', 'Refuse. It will be valid later.'],
  access_denied: ['declined', 'Offer another way, or the same again.'],
  session_expired: ['expired', 'Offer to begin again.'],
  canceled_by_relying_party: ['canceled', 'Nothing: it was you.'],
}

const ATTEMPTS: Readonly<Record<Exclude<ReasonCode, EndingReason>, string>> = {
  malformed_response: WALLET,
  limit_exceeded: WALLET,
  missing_state: WALLET,
  unknown_state: TAMPERING,
  request_superseded:
    'Nothing: the person scans again. Where it is frequent, you show a QR for long after it was rendered.',
  state_mismatch: TAMPERING,
  encryption_required: WALLET,
  unexpected_encryption: WALLET,
  unknown_encryption_key: TAMPERING,
  unsupported_encryption: WALLET,
  decryption_failed: WALLET,
  invalid_vp_token: WALLET,
  invalid_presentation_submission: WALLET,
  unknown_credential_query: WALLET,
  wrong_presentation_count: WALLET,
  query_not_satisfied:
    'Nothing; the wallet left something out that you asked for. Ask for less if that is usual.',
  transaction_data_missing: 'Nothing: do not act on the transaction. The wallet may not know its type.',
  malformed_credential: ISSUER,
  unsupported_algorithm: ISSUER,
  unsupported_critical_header: ISSUER,
  wrong_token_type: ISSUER,
  unknown_credential_type: WALLET,
  invalid_issuer_signature: TAMPERING,
  malformed_disclosure: WALLET,
  unreferenced_disclosure: TAMPERING,
  duplicate_digest: ISSUER,
  unsupported_hash_algorithm: ISSUER,
  forbidden_disclosure: ISSUER,
  invalid_claim: ISSUER,
  holder_binding_missing: WALLET,
  holder_key_missing: ISSUER,
  holder_key_unavailable: LATER,
  malformed_holder_binding: WALLET,
  invalid_holder_signature: TAMPERING,
  nonce_mismatch: TAMPERING,
  audience_mismatch: TAMPERING,
  sd_hash_mismatch: TAMPERING,
  holder_binding_not_current: 'Nothing; the clock of that phone may be wrong.',
  transaction_data_mismatch: 'Nothing: do not act on the transaction.',
  untrusted_issuer: 'Add a trust anchor for that issuer, if you trust it.',
  malformed_certificate_chain: ISSUER,
  invalid_certificate_path: 'Compare the anchor you set with the authority that the issuer uses now.',
  certificate_expired: ISSUER,
  certificate_not_yet_valid: ISSUER,
  certificate_profile_violation: ISSUER,
  certificate_revoked: ISSUER,
  certificate_status_unavailable:
    'Nothing: the wallet was asked to try again. Where you prefer to accept unchecked certificates as `low`: `certificate_revocation: "accept_unknown"`.',
  trust_anchor_in_chain: ISSUER,
  self_signed_certificate: 'Where you trust exactly that certificate, pin it as `x509_certificate_pem`.',
  issuer_key_not_found: 'Where the issuer changed its keys, put the new ones into its anchor.',
  issuer_metadata_invalid: ISSUER,
  issuer_metadata_unavailable: LATER,
  trust_list_unavailable:
    'Nothing: the wallet was asked to try again. `/readyz` names the list; its operator looks into `last_attempt`.',
  status_unavailable:
    'Nothing: the wallet was asked to try again. Where you prefer to accept unchecked credentials as `low`: `status_unavailable: "accept"`.',
  wallet_error: 'Nothing: the person can try again.',
  same_device_return_missing:
    'Nothing: the person opens the wallet from the page again. Somebody else may have answered a link that was passed on.',
}

function rowsOf(family: ReasonFamily): readonly (readonly string[])[] {
  const codes = (Object.keys(REASONS) as ReasonCode[]).filter((code) => REASONS[code].family === family)
  return codes.map((code) => {
    const { message, retryable } = REASONS[code]
    const ending = isEnding(code) ? ENDING[code] : undefined
    const advice = isEnding(code) ? ENDING[code][1] : ATTEMPTS[code]
    const ends = ending === undefined ? 'attempt' : `\`${ending[0]}\``
    return [`\`${code}\``, message, yesNo(retryable), ends, toldWallet(code), advice]
  })
}

function isEnding(code: ReasonCode): code is EndingReason {
  return Object.hasOwn(ENDING, code)
}

/** HTTP status of the callback. */
function toldWallet(code: ReasonCode): string {
  switch (code) {
    case 'wallet_error':
    case 'access_denied':
    case 'same_device_return_missing':
      return '200'
    case 'session_expired':
    case 'canceled_by_relying_party':
      return '409 to any answer'
    default:
      return isEnding(code) ? '200' : String(walletError(code).status)
  }
}

function statusRow(status: Status): readonly string[] {
  const begins = (Object.keys(EVENTS) as SessionEvent[]).filter(
    (event) => transition('pending', event) === status,
  )
  const when = status === 'pending' ? 'it is created' : begins.map((event) => EVENTS[event]).join('; ')
  return [
    `\`${status}\``,
    when,
    status === 'pending' ? '–' : `\`verification.${status}\``,
    DO_BY_STATUS[status],
  ]
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no'
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
