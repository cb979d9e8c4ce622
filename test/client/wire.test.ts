// The client's types are what the service says: the compiler compares them, and a drift does not build.

import type { Verification, VerificationEvent } from '@wallet-verifier/client/wire'
import { expectTypeOf, it } from 'vitest'
import type { sessionView } from '../../src/session/views/view.ts'
import type { VerificationEvent as SentEvent } from '../../src/webhook/event.ts'

it('a poll is a Verification', () => {
  expectTypeOf<ReturnType<typeof sessionView>>().toExtend<Verification>()
})

it('an event has the members the service sends, and no others', () => {
  expectTypeOf<keyof SentEvent>().toEqualTypeOf<keyof VerificationEvent>()
})
