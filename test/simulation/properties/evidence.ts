// An outcome of which evidence is kept has its evidence, in the same write, until the evidence is erased.
// Nothing else has evidence: no other outcome, no success that lapsed, no erased session, and no session of a
// deleted relying party.

import { evidenceOf } from '../form.ts'
import { documentOf, type Property, type Stored } from '../ledger.ts'
import type { Session } from '../world.ts'

export const evidence: Property = {
  name: 'every outcome has its evidence until it is erased',
  watch: ({ sessions, evidenceSessions, fail, durable, hasLostAlarm }) => {
    const check = (session: Session, stored: Stored): void => {
      const owed = partsOf(session, stored)
      const parts = evidenceOf(session).length
      if (owed === 'missing') fail(`${session.name} has an outcome, and no evidence`)
      else if (parts < owed) fail(`${session.name} has ${parts} of ${owed} parts of its evidence`)
      else if (parts > owed) fail(`${session.name} has ${parts} parts of evidence, and ${owed} belong to it`)
    }
    const checkAll = (): void => {
      for (const session of sessions) check(session, durable(session))
    }
    return {
      committed: (session, before, after) => {
        check(session, after)
        const [old, document] = [documentOf(before), documentOf(after)]
        if (old === undefined || old.status === 'pending' || document?.created_at !== old.created_at) return
        const [was, is] = [old.evidence, document.evidence]
        if (was?.manifest_sha256 !== is?.manifest_sha256)
          fail(`${session.name} has other evidence than before`)
        if (was?.erased_at !== undefined && is?.erased_at !== was.erased_at)
          fail(`the evidence of ${session.name} was erased, and is there again`)
      },
      called: ({ session, method, parameters, answer }) => {
        if (method !== 'evidence' || answer.lost) return
        const { ok, value } = answer.value as { readonly ok: boolean; readonly value?: EvidenceAnswer }
        if (!ok || value === undefined) return
        const [, act] = parameters
        if (act === 'erase' && evidenceOf(session).length > 0)
          fail(`the evidence of ${session.name} was erased, and is still stored`)
        if (value.json === undefined) return
        const { verification_id } = JSON.parse(value.json) as { readonly verification_id: string }
        if (verification_id !== session.verificationId) fail(`${session.name} returns evidence of another`)
      },
      repaired: checkAll,
      lifetimesOver: () => {
        checkAll()
        for (const { party, name } of sessions.filter((session) => evidenceOf(session).length > 0)) {
          const [notes] = evidenceSessions().filter(({ label }) => label === party.id)
          const isLost = hasLostAlarm(party.object) || (notes !== undefined && hasLostAlarm(notes))
          if (!party.object.durable.data.has('document') && !isLost)
            fail(`${party.name} is deleted, and ${name} has evidence`)
        }
      },
      retentionsOver: () => {
        checkAll()
        for (const object of evidenceSessions()) {
          const isEmpty = object.durable.data.size === 0
          if (!isEmpty && !hasLostAlarm(object)) fail(`${object.name} still has the id of a session`)
        }
      },
    }
  },
}

type EvidenceAnswer = { readonly json?: string }

/** Returns the number of parts that a stored session must have; `missing` for an outcome without evidence. */
function partsOf({ input }: Session, stored: Stored): number | 'missing' {
  const document = documentOf(stored)
  if (input.evidence === undefined || document === undefined) return 0
  if (document.status === 'pending') {
    if (document.held === null) return 0
    return document.held.evidence?.parts ?? 'missing'
  }
  const isKept = input.evidence.outcomes.some((outcome) => outcome === document.status)
  if (!isKept) return 0
  if (document.evidence === undefined) return 'missing'
  return document.evidence.erased_at === undefined ? document.evidence.parts : 0
}
