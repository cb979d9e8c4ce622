// State of a certificate by its dates.

import { t } from './texts.ts'

const DAY_MS = 86_400_000
/** `/readyz` warns of a certificate that expires in a few days. */
const SOON_DAYS = 30

/** Says if a certificate expires soon, or if it is not valid now. */
export function Expiry({ from, until }: { readonly from?: string | undefined; readonly until: string }) {
  const days = daysLeft(until)
  if (days < 0) return <span class="state dead">{t('expired')}</span>
  if (from !== undefined && Date.parse(from) > Date.now())
    return <span class="state queued">{t('not_yet_valid')}</span>
  if (days < SOON_DAYS) return <span class="state queued">{t('expires_soon')}</span>
  return <span class="state delivered">{t('in_force')}</span>
}

/** Returns the whole days until a time. The number is negative after that time. */
export function daysLeft(at: string): number {
  return Math.floor((Date.parse(at) - Date.now()) / DAY_MS)
}
