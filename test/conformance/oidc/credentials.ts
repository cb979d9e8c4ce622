// A person's identity data for logins.

import { PID, presentationOf, queryFor, type Telling } from '../../support/people/person.ts'
import type { Presentations, ReceivedRequest } from '../../support/people/wallet.ts'
import type { Stage } from '../../support/service/stage.ts'

/** A policy that asks for values. */
export const PERSON = {
  name: 'person',
  credential_types: ['pid'],
  scope: ['given_name', 'family_name', 'birthdate', 'sex'],
  formats: ['dc+sd-jwt'],
}

/** Presents the person's identity data. */
export function answerAsPerson({ person }: Pick<Stage, 'person'>, telling: Telling = {}) {
  return async (request: ReceivedRequest): Promise<Presentations> => ({
    [queryFor(request, PID)]: [await presentationOf(person, PID, request, telling)],
  })
}
