import { tokenRemoval } from '../errors/bridge-error.ts';
import type { Task } from '../platform/task.ts';
import type { CancelJob } from './cancel-job.ts';
import type { QueueStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<QueueStore, 'listActiveOf'>;
  readonly cancelJob: CancelJob;
  /** Returns the identities of tokens that were removed permanently. Tokens that are merely missing are not included. */
  readonly removed: () => readonly string[];
}

// The longest time for which the job of a removed token continues.
const EVERY_MS = 2000;
const PAGE = 100;

/** Cancels the queued and running jobs of removed tokens. */
export function createRemovedTokens({ store, cancelJob, removed }: Deps) {
  let ending: Promise<void> | undefined;

  async function endAll(tokens: readonly string[]): Promise<void> {
    for (;;) {
      const found = await store.listActiveOf(tokens, PAGE);
      if (found.length === 0) return;
      // At the same time, so that the cancellations share one commit.
      await Promise.all(found.map(({ scope, id }) => cancelJob(scope, id, tokenRemoval())));
    }
  }

  async function endJobsOf(tokens: readonly string[]): Promise<void> {
    // A sweep in progress may have missed a job that was accepted meanwhile, so that another one follows it.
    await ending;
    ending ??= endAll(tokens).finally(() => {
      ending = undefined;
    });
    await ending;
  }

  /**
   * Resolves when no job of a token that was removed before this call is queued, and the cancellation of its running jobs is
   * requested. Returns undefined if no token was removed, so that a claim need not wait. Throws `overloaded`.
   */
  function endJobs(): Promise<void> | undefined {
    const tokens = removed();
    return tokens.length === 0 ? undefined : endJobsOf(tokens);
  }

  return {
    endJobs,

    task: { name: 'removed-tokens', everyMs: EVERY_MS, run: async () => endJobs() } satisfies Task,
  };
}
