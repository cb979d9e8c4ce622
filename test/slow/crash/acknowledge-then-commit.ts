// A planted mistake that the one write before the answer prevents: the wallet gets its response, and the
// outcome is written a moment later. Only a crash in that moment loses outcomes.

import type { Change } from '../../support/service/project-copy.ts'

export const ACKNOWLEDGE_THEN_COMMIT: Change = {
  path: 'src/session/response/process-response.ts',
  replaced: ': endSession(context, { ...end, login }, { webhook, now })\n  if (isApplied)',
  by: ': endAfterwards(() => endSession(context, { ...end, login }, { webhook, now }))\n  if (isApplied)',
  appended: `
function endAfterwards(end: () => void): boolean {
  setTimeout(end, 250)
  return true
}
`,
}
