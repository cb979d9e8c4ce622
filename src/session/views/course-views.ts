// Views of the history of a session: its deliveries and its timeline (api/result, api/webhooks).

import { deliveriesView } from './deliveries-view.ts'
import { timelineView } from './timeline-view.ts'

export const COURSES = { deliveries: deliveriesView, timeline: timelineView } as const
