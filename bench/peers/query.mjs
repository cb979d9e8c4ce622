// The request of every peer: one claim of an SD-JWT VC with this value.

export const QUERY = {
  credentials: [
    {
      id: 'age',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eu.europa.ec.av:1'] },
      claims: [{ path: ['age_over_18'], values: [true] }],
    },
  ],
}
