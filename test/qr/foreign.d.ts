// The foreign libraries that judge our pictures and ship no types: only what the tests call.

declare module 'upng-js' {
  type Png = { width: number; height: number; depth: number; ctype: number; tabs: { PLTE?: number[] } }
  const UPNG: { decode(png: ArrayBuffer): Png; toRGBA8(png: Png): ArrayBuffer[] }
  export default UPNG
}

declare module 'qrcode-svg' {
  type Model = {
    typeNumber: number
    dataList: unknown[]
    dataCache: unknown
    readonly modules: boolean[][]
    addData(text: string): void
    makeImpl(test: boolean, mask: number): void
  }
  export default class QRCode {
    constructor(options: { content: string; ecl: 'L' | 'M'; padding: number })
    readonly qrcode: Model
  }
}
