/** Defaults that a configuration overrides. Failures that are only simulated must not open a circuit breaker. */
export const QUICKSTART_PRESETS = {
  default_provider: 'sandbox',
  'providers.sandbox.enabled': true,
  'runtime.circuit_breakers.sandbox.enabled': false,
} as const;
