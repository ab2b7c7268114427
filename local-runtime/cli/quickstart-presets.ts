/** The default values of `quickstart`. The circuit breaker is disabled because simulated failures must not stop calls. */
export const QUICKSTART_PRESETS = {
  default_provider: 'sandbox',
  'providers.sandbox.enabled': true,
  'runtime.circuit_breakers.sandbox.enabled': false,
} as const;
