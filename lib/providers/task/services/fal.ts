import * as v from 'valibot';
import { FAILURES, type FailureRow } from '../../backend/failures.ts';
import { optionalMember, Quantity, Text } from '../../backend/reply-members.ts';
import { EXTENSIONS, sentImages } from '../../backend/sent-images.ts';
import type { CallFacts } from '../../provider-port.ts';
import { FAL_LISTS } from '../catalogue/fal-page.ts';
import { FAL_BILLING } from '../fal-billing.ts';
import { requestFieldOf } from '../input-fields.ts';
import { promptOnlyModel } from '../schema-model.ts';
import { TASK_FAILURES } from '../task-failures.ts';
import type { TaskFailure, TaskReply, TaskService } from '../task-service.ts';

// Sources: fal's documentation of the queue, of errors and of the storage, 2026-11, and `@fal-ai/client` 1.10.1.

const UPLOAD_ABOVE_BYTES = 8_388_608;

/** Limit on the images of a call. Large images are uploaded, so that only memory limits their number. */
const MAX_TOTAL_BYTES = 67_108_864;

/** Results are public, so their lifetime is limited. A job that continues after a restart needs its results for a day. */
const LIFETIME = { expiration_duration_seconds: 86_400 };

/** fal rejects a limit of one second or less. */
const MIN_WAIT_SECS = 2;

const MODEL = promptOnlyModel({ maxTotalBytes: MAX_TOTAL_BYTES });

const Accepted = v.object({
  request_id: v.string(),
  status_url: v.string(),
  response_url: v.string(),
  cancel_url: v.string(),
});
const Status = v.object({ status: v.string(), error: Text, error_type: Text });
const Image = v.object({ url: v.string() });
const Result = v.union([
  v.pipe(
    v.object({ images: v.array(Image) }),
    v.transform(({ images }) => images.map(({ url }) => url)),
  ),
  v.pipe(
    v.object({ image: Image }),
    v.transform(({ image }) => [image.url]),
  ),
]);
const Upload = v.object({ upload_url: v.string(), file_url: v.string() });
const ErrorBody = v.object({
  detail: v.union([
    v.string(),
    v.pipe(
      v.array(v.object({ loc: optionalMember(v.array(v.unknown())), type: Text })),
      v.minLength(1),
    ),
  ]),
  error_type: Text,
});

/** Names of failures and the kinds that they mean. A name ends with `*` if it is the start of several names. */
const ROWS: readonly (readonly [name: string, row: FailureRow])[] = [
  // The model may have run before its content was rejected.
  ['content_policy_violation', TASK_FAILURES.safetyOfOutput],
  ['no_media_generated', TASK_FAILURES.safetyOfOutput],
  ['image_*', FAILURES.input],
  ['file_*', FAILURES.input],
  ['unsupported_image_format', FAILURES.input],
  ['face_detection_error', FAILURES.input],
  ['request_timeout', FAILURES.transient],
  ['startup_timeout', FAILURES.transient],
  ['generation_timeout', FAILURES.transient],
  ['runner_*', FAILURES.transient],
  ['internal_*', FAILURES.transient],
  ['downstream_*', FAILURES.transient],
];

/** The text of a 403 reply to an account without a balance. */
const LOCKED = 'User is locked';

/** fal. */
export const FAL: TaskService = {
  displayName: 'fal',
  baseUrl: 'https://queue.fal.run',
  apiHosts: ['queue.fal.run', 'rest.fal.ai'],
  resultHosts: ['*.fal.media'],
  // The number of running tasks depends on the account, from 2. fal keeps other tasks in its queue.
  limits: { requestsPerMinute: 1200, parallelTasks: 40 },
  keyHeaders: (key) => ({ authorization: `Key ${key}` }),
  model: () => MODEL,
  submission: (call, remainingMs) => {
    const { request, model } = call;
    const hasImages = sentImages(request).length > 0;
    const name = (hasImages ? model.editName : undefined) ?? request.model;
    return {
      path: `/${name.split('/').map(encodeURIComponent).join('/')}`,
      headers: {
        'x-fal-object-lifecycle-preference': JSON.stringify(LIFETIME),
        // A task that has not begun at the deadline never begins.
        'x-fal-request-timeout': String(Math.max(MIN_WAIT_SECS, Math.ceil(remainingMs / 1000))),
      },
      body: { json: (images) => ({ ...model.inputs(call, images), ...call.constants }) },
    };
  },
  accepted({ value }) {
    const parsed = v.safeParse(Accepted, value);
    if (!parsed.success) return undefined;
    const { request_id: id, status_url: poll, response_url, cancel_url: cancel } = parsed.output;
    return { ticket: { id, poll, result: response_url, cancel }, state: { phase: 'waiting' } };
  },
  polled({ value }) {
    const parsed = v.safeParse(Status, value);
    if (!parsed.success) return undefined;
    const { status, error_type: name } = parsed.output;
    if (status !== 'COMPLETED') return { phase: 'waiting', isRunning: status === 'IN_PROGRESS' };
    const row = rowOfName(name);
    // The reply to the result URL describes a failure without a known name.
    return row ? { phase: 'failed', failure: { row, ...coded(name) } } : { phase: 'stored' };
  },
  result(reply) {
    const parsed = v.safeParse(Result, reply.value);
    const units = unitsOf(reply);
    const images = parsed.success ? parsed.output : [];
    return { phase: 'done', images, ...(units === undefined ? {} : { charge: { units } }) };
  },
  cancelMethod: 'PUT',
  failure,
  source: {
    kind: 'fal',
    address: 'https://api.fal.ai',
    paths: () => FAL_LISTS,
    maxTotalBytes: MAX_TOTAL_BYTES,
  },
  billing: FAL_BILLING,
  upload: {
    aboveBytes: UPLOAD_ABOVE_BYTES,
    hosts: ['*.fal.media', '*.fal.ai'],
    initiation: ({ mediaType, sha256 }) => ({
      url: 'https://rest.fal.ai/storage/upload/initiate?storage_type=fal-cdn-v3',
      json: { content_type: mediaType, file_name: `${sha256}.${EXTENSIONS[mediaType]}` },
    }),
    target({ value }) {
      const parsed = v.safeParse(Upload, value);
      if (!parsed.success) return undefined;
      return { uploadUrl: parsed.output.upload_url, fileUrl: parsed.output.file_url };
    },
  },
};

/**
 * Returns the failure in an error of fal: `{detail: [{loc, type}]}` for a fault in the request, and `{detail, error_type}`
 * for other failures. A 5xx of the model is free.
 */
function failure(
  { status, header, value }: TaskReply,
  { request }: { readonly request: CallFacts },
): TaskFailure | undefined {
  if (status === 504 && header('x-fal-request-timeout-type') !== undefined) {
    return { row: TASK_FAILURES.notBegunInTime };
  }
  const parsed = v.safeParse(ErrorBody, value);
  if (!parsed.success) return undefined;
  const { detail, error_type: type } = parsed.output;
  if (typeof detail === 'string') {
    if (status === 403 && detail.includes(LOCKED)) return { row: FAILURES.quota };
    const row = rowOfName(type) ?? (type && status >= 500 ? FAILURES.transient : undefined);
    return { ...(row ? { row } : {}), ...coded(type) };
  }
  const [first] = detail;
  const [, input, position] = first?.loc ?? [];
  const index = typeof position === 'number' ? position : undefined;
  const field = typeof input === 'string' ? requestFieldOf(input, request, index) : undefined;
  return {
    row: rowOfName(first?.type) ?? FAILURES.refused,
    ...coded(first?.type),
    ...(field === undefined ? {} : { field }),
  };
}

function rowOfName(name: string | null | undefined): FailureRow | undefined {
  if (!name) return undefined;
  const matches = (known: string) =>
    known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : name === known;
  return ROWS.find(([known]) => matches(known))?.[1];
}

function coded(name: string | null | undefined): { readonly code?: string } {
  return name ? { code: name } : {};
}

function unitsOf(reply: TaskReply): number | undefined {
  const units = Number(reply.header('x-fal-billable-units') ?? Number.NaN);
  return v.is(Quantity, units) ? units : undefined;
}
