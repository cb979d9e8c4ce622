// The event a relying party sends itself to see whether its receiver works (CONTRACT 7, `…/webhook/test`).

/** Members of the test event, in the order on the wire. It stands for no session, so it names none. */
export type TestEvent = {
  readonly event_id: string
  readonly event_type: 'webhook.test'
  readonly created_at: string
  readonly relying_party_id: string
  readonly livemode: boolean
}

/** The body of a test event, signed and sent like any other. `now`: Unix milliseconds. */
export function buildTestEvent(test: {
  readonly eventId: string
  readonly relyingPartyId: string
  readonly livemode: boolean
  readonly now: number
}): string {
  const event: TestEvent = {
    event_id: test.eventId,
    event_type: 'webhook.test',
    created_at: new Date(test.now).toISOString(),
    relying_party_id: test.relyingPartyId,
    livemode: test.livemode,
  }
  return JSON.stringify(event)
}
