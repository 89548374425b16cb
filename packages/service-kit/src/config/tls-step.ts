/**
 * How TLS is turned on while calls go on. All servers accept both, while clients still use plain text (`introduce`), and then while
 * clients use TLS (`use`). After that, without a step, there is only TLS.
 */
export const TLS_STEPS = ['introduce', 'use'] as const
export type TlsStep = (typeof TLS_STEPS)[number]
