// Versions of a DeviceResponse and of an MSO (ISO/IEC 18013-5 §8.3.2.1.2.2, §9.1.2.4).

import { type CborItem, readText } from '../../codec/cbor.ts'

/** True for version 1.x. A minor version adds members and changes none. */
export function isVersion1(version: CborItem | undefined): boolean {
  return /^1\.\d{1,3}$/.test(readText(version) ?? '')
}
