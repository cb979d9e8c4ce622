// The functions of node:zlib that the core uses. The core compiles without Node's own types.

declare module 'node:zlib' {
  type Limit = { readonly maxOutputLength: number }
  export function inflateSync(compressed: Uint8Array, limit: Limit): Uint8Array<ArrayBuffer>
  export function gunzipSync(compressed: Uint8Array, limit: Limit): Uint8Array<ArrayBuffer>
  export function deflateSync(data: Uint8Array, options: { readonly level: number }): Uint8Array<ArrayBuffer>
  export function crc32(data: Uint8Array): number
}
