// Parts of the bundle of a simulation: the classes of the service, and what its wallets and operators need.

export { CompactEncrypt, importJWK } from 'jose'
export { Directory, sessionCountsStub } from '../../src/relying-party/directory.ts'
export { toRelyingPartyId } from '../../src/relying-party/document/identifier.ts'
export { EventLog } from '../../src/relying-party/events/event-log.ts'
export { VerificationIndex } from '../../src/relying-party/index/verification-index.ts'
export { createRelyingParty, eraseRelyingParty } from '../../src/relying-party/registry.ts'
export { RelyingParty } from '../../src/relying-party/relying-party.ts'
export { forgetSettings } from '../../src/relying-party/settings/settings-cache.ts'
export { signClientToken } from '../../src/session/request/client-token.ts'
export { toVerificationId } from '../../src/session/store/identifier.ts'
export { storeNotes } from '../../src/session/store/session-notes.ts'
export { VerificationSession } from '../../src/session/verification-session.ts'
