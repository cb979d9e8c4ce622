// Operations of relying parties on many verifications, and on the course of one (api/lists).

import { insightsQuery, listQuery } from '../../src/api/requests.ts'
import type { RouteName } from '../../src/routes/edge/access.ts'
import type { Operation } from '../operation.ts'

export const LISTS = {
  'GET /v1/verify': {
    id: 'listVerifications',
    summary: 'List verifications',
    description:
      'Newest first, for 30 days. Filters can be combined. `webhook_state=dead` finds the events that no attempt follows. `metadata.{key}` is exact, and at most three may be sent. `search` finds a part of the id or of any value of the metadata, in capitals or not. `reason` is that of the end, or of a refused response. A page with filters may be short while `has_more` is true.',
    query: listQuery,
    responses: { 200: { description: 'A page of verifications.', json: ['VerificationPage'] } },
    problems: ['index_disabled'],
  },
  'GET /v1/insights': {
    id: 'readInsights',
    summary: 'Count verifications by hour or day',
    description:
      'Counters of 90 days, in UTC. `to` is later than `from`, by at most 750 steps. They contain nothing about a person.',
    query: insightsQuery,
    responses: { 200: { description: 'One step for each hour or day.', json: ['Insights'] } },
    problems: ['index_disabled'],
  },
  'GET /v1/wallets': {
    id: 'listWallets',
    summary: 'List the wallets',
    description:
      'Every wallet that the service has a profile of. A creation names one by its `id` in `wallet`.',
    responses: { 200: { description: 'The wallets.', json: ['WalletList'] } },
  },
  'GET /v1/verify/:id/timeline': {
    id: 'readTimeline',
    summary: 'Read what happened to a verification',
    description: 'Oldest first, at most 100 entries. Equal neighbours are one entry with a `count`.',
    responses: { 200: { description: 'The timeline.', json: ['Timeline'] } },
  },
} as const satisfies { readonly [name in RouteName]?: Operation }
