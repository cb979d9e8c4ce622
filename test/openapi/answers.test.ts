// The schemas of answers are what the service says: the compiler compares both, and a drift does not build.

import type {
  CreatedVerification,
  EventPage,
  Verification,
  VerificationEvent as WireEvent,
} from '@wallet-verifier/client/wire'
import { expectTypeOf, it } from 'vitest'
import type { z } from 'zod/mini'
import type {
  createdVerification,
  deliveryLog,
  eventPage,
  openid4vpView as openid4vpSchema,
  testEvent,
  verification,
  verificationEvent,
  verificationState,
  walletRequest as walletRequestSchema,
} from '../../openapi/answers.ts'
import type { apiKey, relyingParty } from '../../openapi/settings-answers.ts'
import type { settingsToWire } from '../../src/routes/settings/settings-handlers.ts'
import type { openid4vpView, walletRequest } from '../../src/session/request/requests.ts'
import type { deliveriesView } from '../../src/session/views/deliveries-view.ts'
import type { publicView, sessionView } from '../../src/session/views/view.ts'
import type { TestEvent, VerificationEvent } from '../../src/webhook/event.ts'

/** The same without `readonly`: schemas have none. */
type Plain<T> = T extends object ? { -readonly [K in keyof T]: Plain<T[K]> } : T

type Sent<F extends (...given: never[]) => unknown> = Plain<ReturnType<F>>

it('a poll is as described, and has no other member', () => {
  type Described = z.input<typeof verification>
  type Shown = ReturnType<typeof sessionView>
  // Without what may hold any JSON: the compiler does not get to the end of it.
  type Bounded = Omit<Shown, 'dcql_query' | 'transaction_data'>
  expectTypeOf<Plain<Bounded>>().toExtend<Omit<Described, 'dcql_query' | 'transaction_data'>>()
  expectTypeOf<keyof Shown>().toEqualTypeOf<keyof Described>()
  expectTypeOf<Described>().toExtend<Verification>()
})

it('what a client token shows is as described, and has no other member', () => {
  expectTypeOf<Sent<typeof publicView>>().toEqualTypeOf<z.input<typeof verificationState>>()
})

it('an event has the members described, and a client reads what is described', () => {
  type Described = z.input<typeof verificationEvent>
  expectTypeOf<keyof VerificationEvent>().toEqualTypeOf<keyof Described>()
  expectTypeOf<Described>().toExtend<WireEvent>()
  expectTypeOf<z.input<typeof eventPage>>().toExtend<EventPage>()
  expectTypeOf<Plain<TestEvent>>().toEqualTypeOf<z.input<typeof testEvent>>()
})

it('a created verification is what a client reads', () => {
  expectTypeOf<keyof z.input<typeof createdVerification>>().toEqualTypeOf<keyof CreatedVerification>()
})

it('the requests that relying parties see are as described, and have no other member', () => {
  expectTypeOf<keyof ReturnType<typeof walletRequest>>().toEqualTypeOf<
    keyof z.input<typeof walletRequestSchema>
  >()
  type Described = z.input<typeof openid4vpSchema>
  type Shown = ReturnType<typeof openid4vpView>
  type Definition = Described['authorization_request']['presentation_definition']
  expectTypeOf<Plain<Shown['authorization_request']['presentation_definition']>>().toExtend<Definition>()
  expectTypeOf<keyof Shown>().toEqualTypeOf<keyof Described>()
})

it('the webhook log has the members described', () => {
  type Described = z.input<typeof deliveryLog>['deliveries'][number]
  type Shown = Sent<typeof deliveriesView>['deliveries'][number]
  expectTypeOf<keyof Shown>().toEqualTypeOf<keyof Described>()
  expectTypeOf<Shown['attempts']>().toEqualTypeOf<Described['attempts']>()
})

it('settings have the members described', () => {
  type Shown = Sent<typeof settingsToWire>
  expectTypeOf<keyof Shown>().toEqualTypeOf<keyof z.input<typeof relyingParty>>()
  expectTypeOf<Shown['api_keys'][number]>().toEqualTypeOf<z.input<typeof apiKey>>()
})
