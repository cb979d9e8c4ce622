// Tests that every credential format must pass. Each format runs this suite over presentations of a library
// that is not part of this project.

import { describe, expect, it, TestRunner } from 'vitest'
import type { Json } from '../../src/codec/json.ts'
import {
  CHECKS,
  type CheckId,
  type CheckResult,
  type Context,
  type CredentialFormat,
  type CredentialType,
  type PresentationRefusal,
  type RequestBinding,
  type VerifiedCredential,
} from '../../src/formats/verification/format.ts'
import type { FetchResource } from '../../src/net/guarded-fetch.ts'
import { err, type Result } from '../../src/result.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import { compareWithJudge } from '../support/judge/compared.ts'
import type { Asked } from '../support/judge/judge.ts'
import { transcriptOf as annexCValueOf } from '../support/people/annex-c-wallet.ts'
import { annexCTranscriptOf, dcApiTranscriptOf, transcriptOf } from '../support/people/mdoc.ts'

/**
 * A format, and what its maker can make. Every presentation is fresh and differs from the good one in one
 * thing.
 */
export type Subject = {
  readonly format: CredentialFormat
  /** Nonce and audience are part of what the holder signs, and no presentation comes without that. */
  readonly boundWhole?: true
  readonly expected: RequestBinding
  readonly context: Omit<Context, 'trace'>
  /** Expected result for the good presentation, claims included. */
  readonly verified: Partial<VerifiedCredential>
  /** A presentation that answers `expected` and is good in `context`. */
  readonly good: () => Promise<Json>
  /** Presentations that differ in the named thing only. `undefined` if the format has no such thing. */
  readonly variants: {
    readonly otherNonce: () => Promise<Json>
    readonly otherAudience: () => Promise<Json>
    readonly otherHolder: () => Promise<Json>
    readonly otherIssuerKey: () => Promise<Json>
    readonly unknownType: () => Promise<Json>
    readonly expired: () => Promise<Json>
    readonly notYetValid: () => Promise<Json>
    readonly withStatus: () => Promise<Json>
    readonly withoutHolderBinding: (() => Promise<Json>) | undefined
  }
}

/** Result of a verification, and its trace. */
export type Verification = {
  readonly format: string
  readonly result: Result<VerifiedCredential, PresentationRefusal>
  readonly trace: readonly (readonly [CheckId, CheckResult])[]
}

/**
 * Verifies one presentation, recording the trace. The judge verifies it too. Without `isJudged` it does not:
 * that is for presentations made at random or by the hundred.
 */
export async function verifyTraced(
  format: CredentialFormat,
  presentation: Json,
  expected: RequestBinding,
  context: Omit<Context, 'trace'>,
  isJudged = true,
): Promise<Verification> {
  const trace: [CheckId, CheckResult][] = []
  const result = await format.verify(presentation, expected, {
    ...context,
    trace: (check, outcome) => trace.push([check, outcome]),
  })
  if (isJudged) {
    await compareWithJudge(format.id, presentation, askedOf(format, expected, context), codeOf(result))
  }
  return { format: format.id, result, trace }
}

function codeOf(result: Verification['result']): string {
  return result.ok ? (result.value.reasons[0] ?? 'accepted') : result.error.reason
}

/** The same request and trust, for the judge. */
function askedOf({ id }: CredentialFormat, expected: RequestBinding, context: Omit<Context, 'trace'>): Asked {
  const { nonce, audience, holderBinding, requestedAt } = expected
  const vouches = ({ purpose = ['issuer'], credential_types }: TrustAnchor, type: CredentialType) =>
    purpose.includes('issuer') &&
    (credential_types.includes(type.name) || (!type.builtIn && credential_types.includes('*')))
  return {
    ...{ nonce, audience, holderBinding, requestedAt, now: context.now },
    trusted: (identifiers) => {
      const asked = identifiers.filter((identifier) => expected.types?.includes(identifier))
      const [type] = [...asked, ...identifiers].flatMap((identifier) => context.typeOf(id, identifier) ?? [])
      return type === undefined ? [] : context.anchors.filter((anchor) => vouches(anchor, type))
    },
    transcript: () => transcriptFor(expected),
  }
}

function transcriptFor({ nonce, audience, handover }: RequestBinding) {
  const { d: _, ...key } = handover.encryptionKey ?? {}
  const client_metadata = handover.encryptionKey === null ? {} : { jwks: { keys: [key] } }
  switch (handover.kind) {
    case 'redirect':
      return transcriptOf({ client_id: audience, nonce, response_uri: handover.responseUri, client_metadata })
    case 'iso_18013_7': {
      const drafts = { ...client_metadata, vp_formats: {} }
      const request = {
        client_id: audience,
        nonce,
        response_uri: handover.responseUri,
        client_metadata: drafts,
      }
      return transcriptOf(request, handover.mdocGeneratedNonce ?? '')
    }
    case 'dc_api':
      return dcApiTranscriptOf({ nonce, client_metadata }, handover.origin)
    case 'iso_dc_api':
      return Promise.resolve(annexCTranscriptOf(annexCValueOf(handover.encryptionInfo, handover.origin)))
  }
}

/** Expects a refusal for this reason, its failing check the last one traced, and no check out of order. */
export function expectRefusal(
  verification: Verification,
  refusal: PresentationRefusal,
  check?: CheckId,
): void {
  expect(verification.result).toEqual({ ok: false, error: refusal })
  expectOrderedTrace(verification)
  expect(verification.trace.at(-1)).toEqual([check ?? verification.trace.at(-1)?.[0], 'fail'])
  expect(verification.trace.slice(0, -1).map(([, outcome]) => outcome)).not.toContain('fail')
  countRefusal(verification.format)
}

/**
 * `npm test` adds these up and prints how many changes of a good presentation were refused for their own
 * reason.
 */
function countRefusal(format: string): void {
  const meta = TestRunner.getCurrentTest()?.meta as { refusals?: Record<string, number> } | undefined
  if (meta === undefined) return
  meta.refusals = { ...meta.refusals, [format]: (meta.refusals?.[format] ?? 0) + 1 }
}

function expectOrderedTrace({ trace }: Verification): void {
  const order = CHECKS
  expect(trace.map(([check]) => check)).toEqual(order.slice(0, trace.length))
}

/** A web in which nothing answers, and what was asked of it. */
function unreachable() {
  const asked: string[] = []
  const fetchResource: FetchResource = async ({ url }) => {
    asked.push(url)
    return err('unavailable')
  }
  return { asked, fetchResource }
}

const JUNK: readonly (readonly [string, Json])[] = [
  ['null', null],
  ['true', true],
  ['a number', 1],
  ['an empty string', ''],
  ['a list', ['x']],
  ['an object', { vp: 'x' }],
  ['a space', ' '],
  ['separators', '~~~...~~~'],
  ['a lone surrogate', '\ud800'],
  ['a mebibyte of letters', 'A'.repeat(1 << 20)],
]

/** Runs the suite. */
export function describeFormat(subject: Subject): void {
  const { format, expected, variants, boundWhole = false } = subject
  const expectReplay = (verification: Verification, check: 'nonce' | 'audience') =>
    boundWhole
      ? expectRefusal(verification, { reason: 'invalid_holder_signature' }, 'holder_binding')
      : expectRefusal(verification, { reason: `${check}_mismatch` }, check)
  const verifyGood = async (presentation: Json, changes: { expected?: object; context?: object } = {}) =>
    verifyTraced(
      format,
      presentation,
      { ...expected, ...changes.expected },
      { ...subject.context, ...changes.context },
    )

  describe(`a ${format.id} presentation`, () => {
    it('a presentation made by an independent library verifies, and the checks run in order', async () => {
      const verification = await verifyGood(await subject.good())
      if (!verification.result.ok) throw new Error(verification.result.error.reason)
      expect(verification.result.value).toMatchObject(subject.verified)
      const authentic = { format: format.id, holderBound: true, status: 'not_present', reasons: [] }
      expect(verification.result.value).toMatchObject(authentic)
      expect(verification.trace).toHaveLength(CHECKS.length)
      expectOrderedTrace(verification)
      for (const [, outcome] of verification.trace) expect(outcome).toMatch(/^(pass|skip)$/)
    })

    it('a presentation made for another nonce is refused', async () => {
      expectReplay(await verifyGood(await variants.otherNonce()), 'nonce')
    })

    it('a presentation made for another verifier is refused', async () => {
      expectReplay(await verifyGood(await variants.otherAudience()), 'audience')
    })

    it('a presentation bound by a key other than the holder’s is refused', async () => {
      const refusal = { reason: 'invalid_holder_signature' } as const
      expectRefusal(await verifyGood(await variants.otherHolder()), refusal, 'holder_binding')
    })

    it('a presentation signed by a key other than the issuer’s is refused', async () => {
      const refusal = { reason: 'invalid_issuer_signature' } as const
      expectRefusal(await verifyGood(await variants.otherIssuerKey()), refusal, 'issuer_signature')
    })

    it('a presentation of an unknown type is refused', async () => {
      expectRefusal(
        await verifyGood(await variants.unknownType()),
        { reason: 'unknown_credential_type' },
        'type',
      )
    })

    it('a presentation whose issuer has no anchor is refused', async () => {
      const verification = await verifyGood(await subject.good(), { context: { anchors: [] } })
      expectRefusal(verification, { reason: 'untrusted_issuer' }, 'issuer_trust')
    })

    it('a presentation whose issuer is anchored for other types only is refused', async () => {
      const anchors = subject.context.anchors.map((anchor) => ({ ...anchor, credential_types: ['other'] }))
      const verification = await verifyGood(await subject.good(), { context: { anchors } })
      expectRefusal(verification, { reason: 'untrusted_issuer' }, 'issuer_trust')
    })

    it('a presentation whose issuer is anchored for status lists only is refused', async () => {
      const anchors = subject.context.anchors.map((anchor) => ({ ...anchor, purpose: ['status'] }))
      const verification = await verifyGood(await subject.good(), { context: { anchors } })
      expectRefusal(verification, { reason: 'untrusted_issuer' }, 'issuer_trust')
    })

    it.each([
      ['expired', 'credential_expired'],
      ['notYetValid', 'credential_not_yet_valid'],
    ] as const)(
      'a presentation that is %s is authentic, and its result has this reason',
      async (variant, finding) => {
        const { result, trace } = await verifyGood(await variants[variant]())
        expect(result).toMatchObject({ ok: true, value: { reasons: [finding] } })
        expect(trace.find(([check]) => check === 'validity')).toEqual(['validity', 'fail'])
      },
    )

    it('a presentation that is expired and was made for another nonce is refused because of the nonce', async () => {
      const verification = await verifyGood(await variants.expired(), { expected: { nonce: 'another' } })
      expectReplay(verification, 'nonce')
    })

    it('a presentation whose status is unavailable is refused with status_unavailable', async () => {
      const { asked, fetchResource } = unreachable()
      const verification = await verifyGood(await variants.withStatus(), { context: { fetchResource } })
      expectRefusal(verification, { reason: 'status_unavailable' }, 'status')
      expect(asked).toHaveLength(1)
    })

    it('a presentation whose status is unavailable verifies if the settings accept an unavailable status', async () => {
      const context = { fetchResource: unreachable().fetchResource, statusUnavailable: 'accept' }
      const { result, trace } = await verifyGood(await variants.withStatus(), { context })
      expect(result).toMatchObject({ ok: true, value: { status: 'unavailable', reasons: [] } })
      expect(trace.at(-1)).toEqual(['status', 'fail'])
    })

    it('a presentation with a status and another nonce is refused because of the nonce, and its status is not checked', async () => {
      const { asked, fetchResource } = unreachable()
      const changes = { expected: { nonce: 'another' }, context: { fetchResource } }
      const verification = await verifyGood(await variants.withStatus(), changes)
      expectReplay(verification, 'nonce')
      expect(asked).toEqual([])
    })

    it('a presentation without holder binding is refused if holder binding is required', async () => {
      if (variants.withoutHolderBinding === undefined) return
      const verification = await verifyGood(await variants.withoutHolderBinding())
      expectRefusal(verification, { reason: 'holder_binding_missing' }, 'holder_binding')
    })

    it('a presentation without holder binding verifies as unbound if the query does not require it, unless the format always requires it', async () => {
      if (variants.withoutHolderBinding === undefined) return
      const presentation = await variants.withoutHolderBinding()
      const verification = await verifyGood(presentation, { expected: { holderBinding: false } })
      if (boundWhole)
        return expectRefusal(verification, { reason: 'holder_binding_missing' }, 'holder_binding')
      const { result, trace } = verification
      expect(result).toMatchObject({ ok: true, value: { holderBound: false } })
      expect(trace).toContainEqual(['holder_binding', 'skip'])
    })

    it('a presentation with holder binding by another key is refused even if binding is not required', async () => {
      const expected = { holderBinding: false }
      expect((await verifyGood(await subject.good(), { expected })).result).toMatchObject({
        ok: true,
        value: { holderBound: true },
      })
      const verification = await verifyGood(await variants.otherHolder(), { expected })
      expectRefusal(verification, { reason: 'invalid_holder_signature' }, 'holder_binding')
    })

    it.each(JUNK)('a presentation that is %s is refused without an exception', async (_, junk) => {
      const { result, trace } = await verifyGood(junk)
      expect(result.ok).toBe(false)
      expect(trace).toEqual([['structure', 'fail']])
    })

    it('belongs to a format that accepts only its own `meta` objects', () => {
      const types = format.typesPerMeta === 'one' ? ['a'] : ['a', 'b']
      expect(format.metaTypes(format.buildMeta(types))).toEqual(types)
      expect(format.metaTypes({})).toBeUndefined()
      expect(format.metaTypes(Object.create({ ...format.buildMeta(['a']) }))).toBeUndefined()
    })
  })
}
