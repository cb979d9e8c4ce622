// Limits of trusted lists in XML, in addition to the limits of every list (`TRUST_LIST`).

export const TL = {
  /** Signers of a list in XML: the Official Journal names six for the EU's list of lists. */
  signers: 8,
  /** Signers that are read for one national list. The published list of lists names up to 7 for one list. */
  pointerSigners: 16,
  /** Limits of one pointer to a list: bytes of a signer's certificate, characters of the list's address. */
  signerBytes: 4096,
  urlCharacters: 2048,
  /** Limits for one list of lists: the followed national lists, and the total of their anchors. */
  followed: 40,
  followedAnchors: 2000,
  /** Pivots: older issues of the list of lists. Each names the new signers after a change of signers. */
  pivots: 8,
  /** Bytes of one pivot. The published list of lists has 471 KB. */
  pivotBytes: 2_097_152,
} as const
