import type { ErrorCode } from './codes.ts';

/** The codes of failures of image generation, the same for every route. */
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
