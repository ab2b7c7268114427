import type { WebhookOutcome } from './webhook-store-port.ts';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** How long to wait after the first attempt, the second one and so on. */
const DELAYS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
];
const JITTER = 0.2;

// The receiver wants no more (RFC 9110, 15.5.11).
const REMOVED = 410;

interface Attempted {
  /** How many came before this one. */
  readonly attempts: number;
  /** Undefined where no reply came in time. */
  readonly status: number | undefined;
  readonly nowMs: number;
  /** At least 0, below 1: where within the jitter the next attempt is. */
  readonly fraction: number;
}

/** What becomes of a webhook after an attempt (beyond.md D). A redirect is a failure like any other. */
export function toOutcome({ attempts, status, nowMs, fraction }: Attempted): WebhookOutcome {
  const lastStatus = status;
  if (status !== undefined && status >= 200 && status < 300) {
    return { state: 'delivered', lastStatus };
  }
  const delayMs = DELAYS_MS[attempts];
  if (status === REMOVED || delayMs === undefined) return { state: 'failed', lastStatus };
  const jitter = 1 + JITTER * (2 * fraction - 1);
  return { state: 'pending', lastStatus, dueMs: nowMs + Math.round(delayMs * jitter) };
}
