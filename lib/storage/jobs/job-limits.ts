import { BridgeError } from '../../errors/bridge-error.ts';
import type { JobLimits } from '../../jobs/job-store-port.ts';
import { checkRoom } from '../../platform/fair-share.ts';

/** The use of the queue and of the database. */
export interface JobUse {
  /** The number of queued jobs of all scopes. */
  readonly queued: number;
  /** The size of all jobs in bytes, reservations included. */
  readonly held: number;
  readonly ownQueued: number;
  readonly ownHeld: number;
  /** Returns the number of scopes with queued jobs, including the requesting scope. */
  readonly queuingScopes: () => number;
  /** Returns the number of scopes with jobs, including the requesting scope. */
  readonly holdingScopes: () => number;
}

// A retry is cheap, and the time until the next job ends is unknown.
const RETRY_AFTER_MS = 1000;

/** Throws `overloaded` or `rate_limited` if a new job of `needed` bytes would exceed a limit. */
export function refuseBeyondLimits(
  { maxPending, maxDatabaseBytes, isShared }: JobLimits,
  { queued, held, ownQueued, ownHeld, queuingScopes, holdingScopes }: JobUse,
  needed: number,
): void {
  const queue = { limit: maxPending, used: queued, own: ownQueued, holders: queuingScopes };
  refuseBeyond('server.jobs.max_pending', checkRoom({ ...queue, isShared }, 1));
  const bytes = { limit: maxDatabaseBytes, used: held, own: ownHeld, holders: holdingScopes };
  refuseBeyond('server.jobs.max_database_bytes', checkRoom({ ...bytes, isShared }, needed));
}

function refuseBeyond(limit: string, verdict: ReturnType<typeof checkRoom>): void {
  if (verdict === 'room') return;
  const details = { limit, retry_after_ms: RETRY_AFTER_MS };
  if (verdict === 'share') {
    throw new BridgeError(
      'rate_limited',
      'the job would exceed the share of the caller in the job queue or the database',
      { details: { reason: 'share', ...details } },
    );
  }
  throw new BridgeError('overloaded', 'job queue or storage limit reached', {
    details: { reason: 'jobs_full', ...details },
  });
}
