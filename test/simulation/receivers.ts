import { sleep } from '../../lib/platform/clock.ts';
import type { PostWebhook } from '../../lib/webhooks/webhook-deliveries.ts';
import { createSeeded } from '../support/seeded.ts';
import { type CallingProcess, hashOf } from './services.ts';

/** The messages about one job that arrived at its receiver. */
export interface Deliveries {
  attempts: number;
  /** The statuses of the job in the messages that the receiver accepted. */
  readonly accepted: string[];
  /** True if the receiver has answered that it wants no further messages. */
  isGone: boolean;
}

interface Deps {
  readonly seed: number;
  readonly log: (event: string) => void;
}

// The timeout of an attempt, which the real function of the bridge has.
const TIMEOUT_MS = 15_000;
const NEVER_ABORTS = new AbortController().signal;

export type Receivers = ReturnType<typeof createReceivers>;

/** Creates the receivers of webhooks: slow, failing, or gone, as the seed decides for each job. */
export function createReceivers({ seed, log }: Deps) {
  const byJob = new Map<string, Deliveries>();
  let isHealed = false;

  function answerTo(job: string, attempt: number): { status?: number; delayMs: number } {
    const random = createSeeded(hashOf(seed, job, attempt));
    const delayMs = random.next(random.pick([5, 500, 20_000]));
    if (isHealed) return { status: 204, delayMs: 5 };
    const chance = random.next(100);
    if (chance < 3) return { status: 410, delayMs };
    if (chance < 25) return { status: random.pick([500, 301, 404, 429]), delayMs };
    if (chance < 35) return { delayMs };
    return { status: 200, delayMs };
  }

  return {
    of: (job: string): Deliveries | undefined => byJob.get(job),
    /** Makes all receivers accept every message at once. */
    heal(): void {
      isHealed = true;
    },
    /** Returns the function that sends the webhooks of a process. */
    openPost({ clock, isOver }: Pick<CallingProcess, 'clock' | 'isOver'>): PostWebhook {
      return async (_url, { headers, body }, signal) => {
        signal.throwIfAborted();
        const id = String(headers['webhook-id']);
        const known = byJob.get(id) ?? { attempts: 0, accepted: [], isGone: false };
        byJob.set(id, known);
        known.attempts += 1;
        const { status, delayMs } = answerTo(id, known.attempts);
        const { data } = JSON.parse(body) as { readonly data: { readonly status: string } };
        log(`webhook of a job (${data.status}) is answered with ${status}`);
        if (status !== undefined && status < 300) known.accepted.push(data.status);
        if (status === 410) known.isGone = true;
        // The receiver has accepted a message even if its answer arrives too late.
        await sleep(clock, Math.min(delayMs, TIMEOUT_MS), NEVER_ABORTS);
        if (isOver()) return new Promise<never>(() => {});
        signal.throwIfAborted();
        return delayMs > TIMEOUT_MS ? undefined : status;
      };
    },
  };
}
