// The part of istanbul-lib-instrument that project.ts uses: the package has no types.

declare module 'istanbul-lib-instrument' {
  export function createInstrumenter(options: {
    readonly esModules: boolean
    readonly parserPlugins: readonly string[]
    readonly coverageGlobalScope: string
    readonly coverageGlobalScopeFunc: boolean
  }): { readonly instrumentSync: (source: string, path: string) => string }
}
