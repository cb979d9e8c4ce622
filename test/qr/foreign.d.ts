// Types of the foreign libraries that check our pictures, or are compared with them. They cover only what
// tests and bench call.

declare module 'upng-js' {
  type Png = { width: number; height: number; depth: number; ctype: number; tabs: { PLTE?: number[] } }
  const UPNG: {
    decode(png: ArrayBuffer): Png
    toRGBA8(png: Png): ArrayBuffer[]
    encode(frames: ArrayBuffer[], width: number, height: number, colours: number): ArrayBuffer
  }
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

declare module 'qrcode/lib/server.js' {
  type Options = { type: 'png'; width: number; margin: number; errorCorrectionLevel: 'M' }
  const QRCode: { toBuffer(text: string, options: Options): Promise<Uint8Array> }
  export default QRCode
}
