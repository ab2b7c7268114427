import { type Attempt, WARNINGS, type Warning } from '../../contract/reply/image-response.ts';
import type { RouteResult } from '../call/route-attempt.ts';
import type { Plan } from '../plan/plan.ts';

/** What came of one generation, before its images are delivered. */
export interface Outcome {
  readonly plan: Plan;
  readonly completedSecs: number;
  readonly result: RouteResult;
  /** Undefined unless the request asked for fallbacks (contract.md 2). */
  readonly attempts: readonly Attempt[] | undefined;
}

/** Each once and in the order of the contract. */
export function warningsOf({ plan, result }: Pick<Outcome, 'plan' | 'result'>): Warning[] {
  const all = [...plan.report.warnings, ...result.warnings];
  return WARNINGS.filter((warning) => all.includes(warning));
}
