// The mistake that the outbox is there to prevent, planted: the outcome is written without the event it owes, and the event is
// sent afterwards from memory. It retries like a careful program; only a crash loses what it has not sent.

import type { Fault } from './project-copy.ts'

export const COMMIT_THEN_SEND: Fault = {
  path: 'src/session/judge.ts',
  replaced: [
    ['store.commit({ ...ended, deliveries })', 'store.commit({ ...ended, deliveries: [] })'],
    [
      'void postAll(store, env, webhook, deliveries)',
      'void sendAfterwards(store, env, webhook, { ...ended, deliveries })',
    ],
    [
      '\nasync function expire(',
      `
async function sendAfterwards(
  store: SessionStore,
  env: Env,
  webhook: WebhookEndpoint,
  document: SessionDocument,
): Promise<void> {
  let held = document
  const memory = { ...store, session: () => held, commit: (next: SessionDocument) => { held = next } }
  for (let attempt = 1; attempt <= 6; attempt++) {
    await postAll(memory, env, webhook, held.deliveries)
    if (held.deliveries.every(({ state }) => state === 'delivered')) return
    await scheduler.wait(1_000)
    held = { ...held, deliveries: startAttempts(held.deliveries, held.deliveries, Date.now()) }
  }
}

async function expire(`,
    ],
  ],
}
