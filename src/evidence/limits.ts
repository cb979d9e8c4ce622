// Limits of evidence. Limits whose names end with `Bytes` are in bytes.

/** Limits of the evidence of a verification, also for a container that the offline verifier reads. */
export const EVIDENCE = {
  /** Largest container before it is sealed, in bytes. */
  containerBytes: 3_145_728,
  manifestBytes: 262_144,
  /** Largest number of keys to which evidence is sealed. */
  keys: 3,
  /** One JSON file of a container: characters of text, and levels of nesting. */
  json: { length: 2_097_152, depth: 64 },
} as const

/** Limits of time stamps (RFC 3161). `seconds`: largest difference between the time stamp and our clock. */
export const TIME_STAMP = {
  replyBytes: 65_536,
  timeoutMs: 10_000,
  seconds: 300,
  certificates: 8,
  /** Levels of nesting of a reply. Its deepest part, the issuer name in an ESSCertIDv2, is at level 19. */
  depth: 24,
  nonceBytes: 8,
} as const
