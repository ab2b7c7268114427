import type { RequestContext } from '../contract/request/request-context.ts';
import type { JobAttach } from '../runs/job-attach.ts';
import { createRetryAttach } from './retry-attach.ts';
import { toRetryCount } from './retry-count.ts';

/** Lets a client whose library sends a request again find the job that it was made into. */
export function createAttachJob(deps: Parameters<typeof createRetryAttach>[0]) {
  const acceptances = createRetryAttach<string>(deps);
  return {
    /** Returns undefined for clients that do not count their retries. */
    attachFor(context: RequestContext): JobAttach | undefined {
      const retryCount = toRetryCount(context.retryCount);
      if (retryCount === undefined) return undefined;
      return {
        isRetry: retryCount > 0,
        attach(fingerprint, accept, isStale) {
          const attempt = { scope: context.scope, fingerprint, retryCount };
          return acceptances.reply(attempt, accept, context, isStale);
        },
      };
    },

    stopLingering: acceptances.stopLingering,
  };
}
