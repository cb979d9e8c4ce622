// A planted mistake that the outbox prevents: the outcome is written without its event, which is sent
// afterwards from memory. It retries like a careful program. Only a crash loses unsent events.

import type { Change } from '../../support/service/project-copy.ts'

export const COMMIT_THEN_SEND: Change = {
  path: 'src/session/end/end-session.ts',
  replaced: 'store.commit({ ...ended, deliveries }, end.evidence?.parts)',
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
