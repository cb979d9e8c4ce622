// The files of a container with their meaning. Every JSON text is parsed within limits.

import { decodeUtf8 } from '../../../src/codec/bytes.ts'
import { isJsonObject, type JsonObject, member, parseJsonObject } from '../../../src/codec/json.ts'
import type { RecordedDecision } from '../../../src/evidence/container/input.ts'
import { type Manifest, readManifest } from '../../../src/evidence/container/manifest.ts'
import { NAMES } from '../../../src/evidence/container/names.ts'
import type { SessionInputs } from '../../../src/evidence/evaluation/record.ts'
import { EVIDENCE } from '../../../src/evidence/limits.ts'
import { readZip, UnreadableError } from './zip-reader.ts'

/** Entry of a file in `evidence.json`. */
export type IndexedFile = {
  readonly name: string
  readonly role: string
  readonly bytes: number
  readonly sha256: string
  readonly media_type: string
  readonly query?: string
  readonly source?: string
  readonly fetched_at?: string
}

/** Entry of a material in `evidence.json`. */
export type IndexedMaterial = Omit<IndexedFile, 'role' | 'query'> & {
  readonly source: string
  readonly fetched_at: string
}

/** `evidence.json`. */
export type CaseIndex = {
  readonly version: number
  readonly software: JsonObject
  readonly verification_id: string
  readonly relying_party_id: string
  readonly livemode: boolean
  readonly requested_at: string
  readonly received_at: string
  readonly decided_at: string
  readonly requests_fetched: number
  readonly files: readonly IndexedFile[]
  readonly materials: readonly IndexedMaterial[]
  readonly missing: readonly { readonly what: string; readonly reason: string }[]
}

/** A container. Nothing is verified yet. */
export type CaseFile = {
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  readonly manifestBytes: Uint8Array<ArrayBuffer>
  readonly manifest: Manifest
  readonly index: CaseIndex
  readonly session: SessionInputs
  readonly decision: RecordedDecision
}

/** Reads a container. Throws `UnreadableError` if it is none. */
export function readCase(zip: Uint8Array<ArrayBuffer>): CaseFile {
  const files = readZip(zip)
  const manifestBytes = files.get(NAMES.manifest)
  const manifest = manifestBytes && readManifest(manifestBytes)
  if (manifestBytes === undefined || manifest === undefined)
    throw new UnreadableError(`${NAMES.manifest} is missing or has another form`)
  const index = readJson(files, NAMES.index)
  const version = member(index, 'version')
  if (version !== 1) throw new UnreadableError('this container has a version that this program does not know')
  checkIndex(index)
  return {
    files,
    manifestBytes,
    manifest,
    index: index as unknown as CaseIndex,
    session: readJson(files, NAMES.session) as unknown as SessionInputs,
    decision: readJson(files, NAMES.decision) as unknown as RecordedDecision,
  }
}

/** Reads a JSON object of the container. Throws `UnreadableError`. */
export function readJson(files: CaseFile['files'], name: string): JsonObject {
  const bytes = files.get(name)
  const text = bytes && decodeUtf8(bytes)
  const parsed = text === undefined ? undefined : parseJsonObject(text, EVIDENCE.json)
  if (!parsed?.ok) throw new UnreadableError(`${name} is missing or is no JSON object`)
  return parsed.value
}

const TEXTS = ['verification_id', 'relying_party_id', 'requested_at', 'received_at', 'decided_at'] as const

function checkIndex(index: JsonObject): void {
  const isText = (name: string) => typeof member(index, name) === 'string'
  const isList = (name: string) => isListOf(member(index, name), ['name', 'sha256', 'media_type'])
  if (
    !TEXTS.every(isText) ||
    !isList('files') ||
    !isList('materials') ||
    !isListOf(member(index, 'missing'), ['what', 'reason'])
  )
    throw new UnreadableError(`${NAMES.index} lacks a member, or a member has another type`)
}

function isListOf(value: unknown, texts: readonly string[]): boolean {
  if (!Array.isArray(value)) return false
  return value.every(
    (item) => isJsonObject(item) && texts.every((name) => typeof member(item, name) === 'string'),
  )
}
