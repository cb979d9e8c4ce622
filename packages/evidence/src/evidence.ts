// Functions of the package: open an envelope, verify a container, and show it.

export { type FindMaterial, type OpenedCase, openEnvelope } from './open.ts'
export type { Check, CheckResult, Report } from './report.ts'
export { exitStatus } from './report.ts'
export { showHtml, showText } from './show.ts'
export { readTrust, type Trust } from './trust.ts'
export { type Verified, type VerifyOptions, verifyContainer } from './verify.ts'
export { UnreadableError } from './zip-reader.ts'
