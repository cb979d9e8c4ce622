// Attempts of one step of the timeline. Equal refusals that follow each other are one step.

import type { Timeline, Verification } from '../../packages/client/src/wire.ts'

type Step = Timeline['entries'][number]
export type Attempt = Verification['attempts'][number]
export type ClaimedIssuer = NonNullable<Attempt['claimed_issuer']>

/** Returns the attempts of a step. The API keeps the last ten of a verification. */
export function attemptsOf(step: Step, attempts: readonly Attempt[]): readonly Attempt[] {
  if (step.type !== 'response_refused') return []
  const [first, last] = [Date.parse(step.at), Date.parse(step.last_at)]
  return attempts.filter(({ at, channel, reason }) => {
    const isWithin = Date.parse(at) >= first && Date.parse(at) <= last
    return isWithin && channel === step.channel && reason.code === step.reason?.code
  })
}

/** Returns the rule that was violated, and the wallet's code for each document, if there are any. */
export function detailsOf({ detail, document_errors }: Attempt): string {
  const errors = Object.entries(document_errors ?? {}).map(([name, code]) => `${name}: ${code}`)
  return [detail ?? '', ...errors].filter((text) => text !== '').join(', ')
}

/** Returns the issuers that the attempts name, each once. */
export function claimedIssuersOf(attempts: readonly Attempt[]): readonly ClaimedIssuer[] {
  const claimed = attempts.flatMap(({ claimed_issuer }) => claimed_issuer ?? [])
  return [...new Map(claimed.map((each) => [JSON.stringify(each), each])).values()]
}

/** Returns the words for an issuer: its `iss`, else the subject of its certificate, else its hash. */
export function nameOf({ iss, subject, certificate_sha256 }: ClaimedIssuer): string {
  return iss ?? subject ?? certificate_sha256 ?? '–'
}
