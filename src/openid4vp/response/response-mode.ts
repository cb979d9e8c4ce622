/** Response modes of the redirect flow (OpenID4VP 1.0 §8.2, §8.3.1). */
export const RESPONSE_MODES = ['direct_post.jwt', 'direct_post'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]
