import { type Attempt, WARNINGS, type Warning } from '../../contract/reply/image-response.ts';
import type { AttemptResult } from '../call/attempt.ts';
import type { GenerationRequest } from '../generation-request.ts';
import type { NegotiatedRequest } from '../plan/negotiation.ts';
import type { Route } from '../plan/routing.ts';

/** All that there is to tell of one generation, before its images are delivered. */
export interface Outcome {
  readonly requestId: string;
  readonly completedSecs: number;
  readonly request: GenerationRequest;
  readonly route: Route;
  readonly negotiated: NegotiatedRequest;
  readonly result: AttemptResult;
  /** Only who asked for fallbacks is told of routes (contract.md 2). */
  readonly attempts: readonly Attempt[] | undefined;
}

/** Each once and in the order of the contract, however they came up. */
export function warningsOf({ result }: Pick<Outcome, 'result'>): Warning[] {
  return WARNINGS.filter((warning) => result.warnings.includes(warning));
}
