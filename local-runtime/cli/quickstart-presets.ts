/** Defaults that a configuration can override. The breaker is off because simulated failures must not open it. */
export const QUICKSTART_PRESETS = {
  default_provider: 'sandbox',
  'providers.sandbox.enabled': true,
  'runtime.circuit_breakers.sandbox.enabled': false,
} as const;
