import * as v from 'valibot';
import type { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpResponse } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { FAILURES, type FailureRow, REQUEST_FAULTS, toError } from '../backend/failure-rows.ts';
import { readErrorBody } from '../http/read-error-body.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { ProviderRequest } from '../provider-port.ts';
import { nodeDetails } from './failed-node.ts';
import { Submission, SubmissionError } from './replies.ts';
import type { Workflow } from './workflow.ts';

/** `accepted` under an id, which older servers choose themselves; `unclear`: the server may have taken the workflow. */
export type SubmissionOutcome =
  | { readonly kind: 'accepted'; readonly promptId: string }
  | { readonly kind: 'refused'; readonly error: BridgeError }
  | { readonly kind: 'unclear'; readonly error: BridgeError };

/** What the reply to a submission says. */
export async function toSubmissionOutcome(
  { status, header, body }: HttpResponse,
  { request, workflow }: { readonly request: ProviderRequest; readonly workflow: Workflow },
  clock: Clock,
): Promise<SubmissionOutcome> {
  const json = await readErrorBody(body, clock);
  const submission = v.safeParse(Submission, json);
  if (status === 200 && submission.success) {
    return { kind: 'accepted', promptId: submission.output.prompt_id };
  }
  const reported = v.safeParse(SubmissionError, json);
  const row = rowOf(status);
  const error = toError(
    row,
    {
      code: (reported.success && reported.output.error.type) || undefined,
      moderationStage: undefined,
      moderationCategories: [],
      retryAfterMs: retryAfterMs(header('retry-after'), clock.nowMs()),
      resetsInMs: undefined,
    },
    request,
  );
  if (row === FAILURES.unknownOutcome) return { kind: 'unclear', error };
  const [node] = reported.success ? Object.keys(reported.output.node_errors ?? {}) : [];
  return { kind: 'refused', error: error.with({ details: nodeDetails(node, workflow) }) };
}

function rowOf(status: number): FailureRow {
  if (status === 403) return FAILURES.permission;
  if (status === 429) return FAILURES.rate;
  if (status === 503) return FAILURES.transient;
  if (REQUEST_FAULTS.includes(status)) return FAILURES.refused;
  const isRefusal = status >= 300 && status < 500 && status !== 408;
  return isRefusal ? FAILURES.other : FAILURES.unknownOutcome;
}
