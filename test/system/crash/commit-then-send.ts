// The mistake that the outbox is there to prevent, planted: the outcome is written without the event it owes, and the event is
// sent afterwards from memory. It retries like a careful program; only a crash loses what it has not sent.

import type { Fault } from './project-copy.ts'

export const COMMIT_THEN_SEND: Fault = {
  path: 'src/session/response/end-session.ts',
  replaced: 'store.commit({ ...ended, deliveries })',
  by: `store.commit({ ...ended, deliveries: [] })
  if (canPost) {
    void sendAfterwards(webhook.url, ended.deliveries)
    return true
  }`,
  appended: `
async function sendAfterwards(url: string, deliveries: SessionDocument['deliveries']): Promise<void> {
  for (const { body } of deliveries) {
    for (let attempt = 1; attempt <= 6; attempt++) {
      const response = await fetch(url, { method: 'POST', body }).catch(() => undefined)
      if (response?.ok) break
      await scheduler.wait(1_000)
    }
  }
}
`,
}
