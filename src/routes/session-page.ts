// The hosted session page.

import { Hono } from 'hono'
import type { AppEnv } from './context.ts'

/** The routes of a person's browser. */
export function sessionPageRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
}
