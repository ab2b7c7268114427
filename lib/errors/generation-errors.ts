import type { ErrorCode } from './codes.ts';

/** How the generation of an image can fail, whichever route asked for it. */
export const GENERATION_ERRORS = [
  'refused_by_provider',
  'input',
  'unsupported_capability',
  'provider_authentication',
  'permission_denied',
  'safety_rejected',
  'session_not_found',
  'session_busy',
  'artifact_exists',
  'idempotency_conflict',
  'rate_limited',
  'overloaded',
  'timeout',
  'cancelled',
  'upstream',
  'protocol',
  'artifact',
  'configuration',
] as const satisfies readonly ErrorCode[];
