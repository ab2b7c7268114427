import * as v from 'valibot';
import { optionalMember, Quantity, Text } from '../../backend/reply-members.ts';
import { REPLICATE_COLLECTION, replicateModels } from '../catalogue/replicate-page.ts';
import { promptOnlyModel } from '../schema-model.ts';
import { TASK_FAILURES } from '../task-failures.ts';
import type { TaskCharge, TaskService, TaskState } from '../task-service.ts';

// Sources: Replicate's OpenAPI document and its pages on rate limits and on the life of a prediction, 2026-11.

/** Limit on the images of a call. Replicate accepts 10 MB in all, and base64 makes images a third larger. */
const MAX_TOTAL_BYTES = 7_000_000;

/** Replicate rejects a shorter time limit of a prediction. */
const MIN_CANCEL_AFTER_SECS = 5;

const MODEL = promptOnlyModel({ maxTotalBytes: MAX_TOTAL_BYTES });

const Prediction = v.object({
  id: v.string(),
  status: v.string(),
  output: v.optional(v.unknown()),
  error: v.optional(v.unknown()),
  urls: v.object({ get: v.string(), cancel: Text }),
  metrics: optionalMember(v.object({ predict_time: optionalMember(Quantity) })),
});
type Prediction = v.InferOutput<typeof Prediction>;

const Output = v.union([
  v.pipe(
    v.string(),
    v.transform((url) => [url]),
  ),
  v.array(v.string()),
]);
const MAX_WAIT_SECS = 86_400;
const ErrorBody = v.object({
  detail: v.string(),
  retry_after: optionalMember(v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_WAIT_SECS))),
});

/** Parts of the error text of a prediction whose content was rejected. Replicate has no other name for this failure. */
const REJECTED_CONTENT = ['NSFW', '(E005)'];

/** Replicate. */
export const REPLICATE: TaskService = {
  displayName: 'Replicate',
  baseUrl: 'https://api.replicate.com/v1',
  apiHosts: ['api.replicate.com'],
  resultHosts: ['replicate.delivery', '*.replicate.delivery'],
  limits: { requestsPerMinute: 600 },
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  model: () => MODEL,
  submission: (call, remainingMs) => {
    const cancelAfterSecs = Math.max(MIN_CANCEL_AFTER_SECS, Math.ceil(remainingMs / 1000));
    const [name = '', version] = call.request.model.split(':');
    const path = name.split('/').map(encodeURIComponent).join('/');
    return {
      // Only official models and the latest version of other models have a separate endpoint.
      path: version === undefined ? `/models/${path}/predictions` : '/predictions',
      // Ends the prediction at the deadline even if this process has died.
      headers: { 'cancel-after': `${cancelAfterSecs}s` },
      body: {
        json: (images) => ({
          ...(version === undefined ? {} : { version }),
          input: { ...call.model.inputs(call, images), ...call.constants },
        }),
      },
    };
  },
  accepted({ value }) {
    const parsed = v.safeParse(Prediction, value);
    if (!parsed.success) return undefined;
    const { id, urls } = parsed.output;
    const cancel = urls.cancel ? { cancel: urls.cancel } : {};
    return { ticket: { id, poll: urls.get, ...cancel }, state: stateOf(parsed.output) };
  },
  polled({ value }) {
    const parsed = v.safeParse(Prediction, value);
    return parsed.success ? stateOf(parsed.output) : undefined;
  },
  cancelMethod: 'POST',
  source: {
    kind: 'replicate',
    address: 'https://api.replicate.com/v1',
    paths: (listed) => (listed ? replicateModels(listed) : [REPLICATE_COLLECTION]),
    maxTotalBytes: MAX_TOTAL_BYTES,
  },
  failure({ value }) {
    const parsed = v.safeParse(ErrorBody, value);
    if (!parsed.success) return undefined;
    const { retry_after: secs } = parsed.output;
    return typeof secs === 'number' ? { retryAfterMs: Math.ceil(secs * 1000) } : {};
  },
};

function stateOf(prediction: Prediction): TaskState {
  const { status, output, error } = prediction;
  switch (status) {
    case 'succeeded': {
      const parsed = v.safeParse(Output, output);
      return {
        phase: 'done',
        images: parsed.success ? parsed.output : [],
        ...chargeOf(prediction),
      };
    }
    case 'failed': {
      const text = typeof error === 'string' ? error : '';
      const isRejected = REJECTED_CONTENT.some((part) => text.includes(part));
      const row = isRejected ? TASK_FAILURES.safetyOfOutput : TASK_FAILURES.failed;
      return { phase: 'failed', failure: { row } };
    }
    // The prediction never began, and is free.
    case 'aborted':
      return { phase: 'cancelled', effect: 'not_begun' };
    // The prediction was running, and its time is charged.
    case 'canceled':
      return { phase: 'cancelled', effect: 'unknown' };
    default:
      return { phase: 'waiting', isRunning: status === 'processing' };
  }
}

function chargeOf({ metrics }: Prediction): { readonly charge?: TaskCharge } {
  const seconds = metrics?.predict_time;
  return typeof seconds === 'number' ? { charge: { seconds } } : {};
}
