// docs/statuses-and-reasons.md, from the catalogues of the service.

import errors from '../../assets/oauth-errors.json' with { type: 'json' }
import { STATUSES, type Status } from '../../src/api/values.ts'
import { PROBLEMS, type ProblemKind } from '../../src/routes/edge/problems.ts'
import { WALLET_ERRORS } from '../../src/routes/wallet/wallet-errors.ts'
import {
  REASONS,
  type Reason,
  type ReasonCode,
  type ReasonFamily,
} from '../../src/session/document/reasons.ts'
import { CERTIFICATE_RULES, type CertificateRule } from '../../src/trust/refusal.ts'
import meanings from './problem-meanings.json' with { type: 'json' }
import { ADVICE_WORDS, REASON_ADVICE } from './reason-advice.ts'

/** The whole page. */
export function describeStatusesAndReasons(): string {
  return [
    '# Statuses, reasons, errors',
    '<!-- Written by `npm run generate` from src/session/document/state.ts, src/session/document/reasons.ts and src/routes/edge/problems.ts. -->',
    INTRODUCTION,
    '## Statuses',
    table(['status', 'begins when', 'webhook', 'what you do'], STATUSES.map(statusRow)),
    AFTER_STATUSES,
    '## Reasons',
    REASONS_INTRODUCTION,
    table(
      ['word', 'what you do'],
      Object.entries(ADVICE_WORDS).map(([word, text]) => [`*${word}*`, text]),
    ),
    ...FAMILIES.flatMap(([family, about]) => [
      `### ${family}`,
      about,
      table(['`code`', 'message', 'retryable', 'becomes', 'wallet gets', 'what you do'], rowsOf(family)),
    ]),
    '### Rules of certificates',
    RULES_INTRODUCTION,
    table(['`detail`', 'extension', 'violated by'], CERTIFICATE_RULES.map(ruleRow)),
    '## Problems',
    PROBLEMS_INTRODUCTION,
    table(
      ['status', '`code`', 'title', 'retryable', 'meaning'],
      Object.entries<ProblemKind>(PROBLEMS).map(([code, { status, title, retryable }]) => [
        String(status),
        `\`${code}\``,
        title,
        yesNo(retryable),
        meanings[code as keyof typeof meanings],
      ]),
    ),
    '## Wallet errors',
    WALLETS_INTRODUCTION,
    table(
      ['status', '`error`', '`error_description`'],
      Object.entries(WALLET_ERRORS)
        .toSorted(([, a], [, b]) => a.status - b.status)
        .map(([kind, { status, error }]) => [
          String(status),
          `\`${error}\``,
          errors.wallet[kind as keyof typeof errors.wallet],
        ]),
    ),
  ].join('\n\n')
}

const RULES_INTRODUCTION = `An attempt with \`certificate_profile_violation\` has a \`detail\`.
It names the rule that a certificate of the issuer violates.`

/** The extension, and a certificate that violates its rule. */
const ABOUT_RULE: Readonly<Record<CertificateRule, readonly [string, string]>> = {
  leaf_is_ca: ['basicConstraints', "an authority's certificate as the signer's"],
  issuer_is_not_ca: ['basicConstraints', "an issuing certificate that is not an authority's"],
  path_length: ['basicConstraints', 'more intermediate authorities than an authority allows'],
  key_usage: [
    'keyUsage',
    'a signer without `digitalSignature`, or with `keyCertSign`; an authority without `keyCertSign`; a signer of mdocs without the extension',
  ],
  extended_key_usage: [
    'extKeyUsage',
    "a certificate for TLS only, or without a usage of the anchor's `eku` or of the mdoc profile",
  ],
  name_constraints: ['nameConstraints', 'a name that an authority may not certify'],
  critical_extension: ['any', 'a critical extension that is not processed'],
  chain_too_long: ['–', 'more than eight certificates'],
  weak_key_or_signature: ['–', 'a key or signature algorithm that is too weak or unknown'],
  issuing_country: ['–', 'a signer of driving licences from another country or state than its authority'],
}

function ruleRow(rule: CertificateRule): readonly string[] {
  return [`\`${rule}\``, ...ABOUT_RULE[rule]]
}

const INTRODUCTION = `The statuses of a verification, the reasons for them, and the problems of a refused call.
Within \`/v1\` all three lists may grow.
Treat a code that you do not know by its \`retryable\`, and a status that you do not know as not verified.`

/** When each status begins, and what the relying party does. */
const ABOUT_STATUS: Readonly<Record<Status, readonly [string, string]>> = {
  pending: [
    'the verification is created',
    'Wait for the webhook, or poll. Refused responses are listed in `attempts`; they need no action.',
  ],
  verified: [
    'an authentic response satisfied the policy',
    'Grant what you requested. With a `dcql_query`, read `checks` too: claims that you made optional may be `false`.',
  ],
  rejected: [
    'an authentic response did not satisfy the policy',
    'Refuse. The person may start again with another credential; `reason` says what was missing.',
  ],
  declined: [
    'the wallet responded with `access_denied`, or the person pressed *Do not share* on the page',
    'Offer another way, or the same again. After `access_denied` it is unknown whether the person refused or has no matching credential.',
  ],
  expired: [
    '`expires_at` passed',
    'Offer to start again (`retry_of` names the expired one). `reason` is that of the last attempt, if there was one.',
  ],
  canceled: ['you canceled the verification', 'None: you canceled it.'],
}

const AFTER_STATUSES = `Every status except \`pending\` is final: it never changes, and exactly one event reports it.
\`stage\` says how far a pending verification is: \`created\`, \`request_fetched\` or \`awaiting_return\`.`

const REASONS_INTRODUCTION = `\`reason\` of a verification says why it ended.
Each entry of \`attempts\` has a \`reason\` too: it says why that response was refused.
Only an authentic response ends a verification, so most reasons are reasons of attempts.
After an attempt the verification stays \`pending\`, and a later good response succeeds.
If the verification then expires, its \`reason\` is that of the last attempt.

*Retryable* means that another try of the same person may succeed.
*Wallet gets* is the HTTP status at the callback.
Wallets never learn the reason.
A response by the Digital Credentials API gets the problem \`presentation_refused\` (400) for 4xx.
It gets \`temporarily_unavailable\` (503) for 503.`

const PROBLEMS_INTRODUCTION = `A refused call of yours gets RFC 9457 problem details with one of the codes below.
Their \`type\` is the address of a page with the same text.
*Retryable* means that the same request, unchanged, may succeed later.
For 429 and 503, \`Retry-After\` says when.`

const WALLETS_INTRODUCTION = `At \`request_uri\` and at the callback, wallets get OAuth errors.
The errors contain only what their person can use.
You read the reason from the verification.`

const FAMILIES: readonly (readonly [ReasonFamily, string])[] = [
  ['envelope', 'The message around the credentials is wrong: it is no response to the request.'],
  ['credential', 'The credential was changed after issuance, or its issuer did not follow the format.'],
  ['holder', 'The presenter did not prove possession of the credential, now and for this request.'],
  ['trust', 'No trust anchor of yours covers the issuer, or the check was not possible.'],
  ['status', 'The issuer changed the status of the credential after issuance.'],
  [
    'policy',
    `The credential is authentic, but it does not satisfy your request.
Where a \`dcql_query\` waives holder binding, these are attempts (400), because anyone may have presented the credential.`,
  ],
  ['flow', 'Something happened to the verification as a whole.'],
]

function rowsOf(family: ReasonFamily): readonly (readonly string[])[] {
  const rows = (Object.keys(REASONS) as ReasonCode[]).filter((code) => REASONS[code].family === family)
  return rows.map((code) => {
    const reason: Reason = REASONS[code]
    const { message, retryable, ends } = reason
    return [
      `\`${code}\``,
      message,
      yesNo(retryable),
      ends ? `\`${ends}\`` : 'attempt',
      walletGets(code, reason),
      REASON_ADVICE[code],
    ]
  })
}

/**
 * HTTP status of the callback. A response that ends the verification gets 200. After the end, every other
 * response gets 409.
 */
function walletGets(code: ReasonCode, { wallet, ends }: Reason): string {
  if (ends === 'expired' || ends === 'canceled' || code === 'declined_on_page') return '409 for any response'
  return wallet === null || ends !== undefined ? '200' : String(WALLET_ERRORS[wallet].status)
}

function statusRow(status: Status): readonly string[] {
  const [begins, advice] = ABOUT_STATUS[status]
  const webhook = status === 'pending' ? '–' : `\`verification.${status}\``
  return [`\`${status}\``, begins, webhook, advice]
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no'
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
