// Named presets for a request (api/creation). A preset fixes some members of the request body.

/** Presets by name. */
export const PRESETS = {
  /**
   * The only request that the EU age verification app answers. Other wallets with the same mdoc answer it,
   * too.
   */
  age_over_18: { credential_types: ['age_attestation'], scope: ['age_over_18'], formats: ['mso_mdoc'] },
} as const

export type Preset = keyof typeof PRESETS
export const PRESET_NAMES = ['age_over_18'] as const satisfies readonly Preset[]
