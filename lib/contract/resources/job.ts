import * as v from 'valibot';
import { FlatBridgeError } from '../reply/error.ts';
import { GeneratedImage, ImageResponse } from '../reply/image-response.ts';
import { STAGES } from '../reply/stream-events.ts';
import { StoredInput } from '../request/image-input.ts';
import { imageRequestEntries, sharedRequestEntries } from '../request/image-request.ts';
import { requestRules } from '../request/image-request-rules.ts';
import { Output, Transparency } from '../request/output.ts';
import { OUTPUT_FORMATS, RequestParameters, Size } from '../request/parameters.ts';
import { Policies, ProviderName, Routing, Session } from '../request/routing.ts';
import { closedObject, isPlainObject } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { ArtifactId, Count, PromptText, storableText, UnixSecs } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitedList } from '../schema/limited-list.ts';
import { pageEntries, pageOf, QueryBoolean, queryInteger } from '../schema/page.ts';
import { text } from '../schema/text.ts';

export const JOB_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** The bytes are settled when a job is accepted, wherever they came from: they come back by checksum. */
const JobInput = StoredInput;

/** What a job is asked to do: the request with its defaults, without its idempotency key (contract.md 3). */
export const JobRequest = v.strictObject({
  ...sharedRequestEntries,
  version: v.literal('1'),
  prompt: PromptText,
  images: v.array(JobInput),
  mask: v.nullable(JobInput),
  reference_images: v.array(JobInput),
  parameters: v.strictObject(RequestParameters.entries),
  output: v.strictObject({
    ...Output.entries,
    transparency: v.strictObject(Transparency.entries),
  }),
  routing: v.strictObject(Routing.entries),
  session: v.strictObject(Session.entries),
  policies: v.strictObject(Policies.entries),
});
export type JobRequest = v.InferOutput<typeof JobRequest>;

/** The images of a request in the order of their indexes: the images, the mask, the references (beyond.md C). */
export function inputsOf({ images, mask, reference_images }: JobRequest): readonly StoredInput[] {
  return [...images, ...(mask === null ? [] : [mask]), ...reference_images];
}

/** The statuses that a job can end in. */
export const JOB_ENDS = ['succeeded', 'failed', 'cancelled', 'interrupted'] as const;

/** Where the end of a job is to be sent (beyond.md D). */
export const Webhook = closedObject({
  url: documented(
    text({ maxLength: 2048 }),
    'https, or http on loopback, on a host of server.webhooks.allowed_hosts.',
  ),
  events: documented(
    v.optional(v.pipe(limitedList(v.picklist(JOB_ENDS), JOB_ENDS.length), v.minLength(1)), [
      ...JOB_ENDS,
    ]),
    'The ends that are sent: all of them when left out.',
    { minItems: 1, maxItems: JOB_ENDS.length },
  ),
});
export type Webhook = v.InferOutput<typeof Webhook>;

const Priority = v.pipe(v.number(), v.integer(), v.minValue(-100), v.maxValue(100));

const AnyJobCreate = v.pipe(
  closedObject({
    ...imageRequestEntries,
    priority: documented(
      v.optional(Priority, 0),
      "Orders the queued jobs of the caller: the highest priority first, then in the order of acceptance. Tokens take turns, whatever their jobs' priorities are.",
    ),
    webhook: documented(
      v.optional(Webhook),
      'Where the end of the job is sent, while server.webhooks.enabled is on.',
    ),
  }),
  v.rawCheck((context) => requestRules(context)),
);

/**
 * The body of `POST /v1/jobs`: a request whose images become artifacts, whatever delivery it names, before any rule of
 * the contract checks it.
 */
export const JobCreate: typeof AnyJobCreate = {
  ...AnyJobCreate,
  '~run'(dataset, config) {
    return AnyJobCreate['~run']({ ...dataset, value: toArtifacts(dataset.value) }, config);
  },
};

function toArtifacts(sent: unknown): unknown {
  if (!isPlainObject(sent)) return sent;
  const output = sent['output'] ?? {};
  if (!isPlainObject(output)) return sent;
  return { ...sent, output: { ...output, response_format: 'artifact' } };
}

export const JobId = v.pipe(v.string(), v.uuid());

const jobEntries = {
  id: JobId,
  status: v.picklist(JOB_STATUSES),
  created: UnixSecs,
  updated: UnixSecs,
  started: v.optional(UnixSecs),
  completed: v.optional(UnixSecs),
  cancel_requested: v.boolean(),
  priority: documented(v.optional(Priority), 'Left out, it is 0.'),
  favorite: documented(v.boolean(), 'Favourites are exempt from the pruning of history.'),
  deleted: documented(v.optional(UnixSecs), 'When it was hidden; hidden jobs can be restored.'),
  progress: v.optional(v.strictObject({ stage: v.picklist(STAGES), partial_images: Count })),
};

/** The images of a job that did not come to its end. */
export const PartialResult = v.strictObject({ data: v.array(GeneratedImage) });
export type PartialResult = v.InferOutput<typeof PartialResult>;

/** A job with all that is known of it. */
export const ImageJob = v.strictObject({
  ...jobEntries,
  request: JobRequest,
  retry_of: documented(v.optional(JobId), 'The job that this one was made from by a retry.'),
  result: v.optional(ImageResponse),
  partial_result: documented(
    v.optional(PartialResult),
    'What a job had finished that did not succeed. A retry of it asks for the other images only.',
  ),
  error: v.optional(FlatBridgeError),
  webhook: documented(
    v.optional(
      v.strictObject({
        status: v.picklist(['pending', 'delivered', 'failed']),
        attempts: documented(Count, 'How often the end was sent.'),
        last_status: documented(v.optional(Count), 'Of the last reply, where there was one.'),
      }),
    ),
    'How the end of the job is sent; absent where it is not sent.',
  ),
});
export type ImageJob = v.InferOutput<typeof ImageJob>;

/** A job as lists show it: without its images, its result and its error. */
export const ImageJobSummary = v.strictObject({
  ...jobEntries,
  operation: v.picklist(['generate', 'edit']),
  prompt: documented(v.string(), 'Its first 256 characters.', { maxLength: 256 }),
  provider: v.string(),
  model: v.optional(v.string()),
  outputs: documented(Count, 'How many images were asked for.'),
  size: documented(Size, 'What its plan asks for: auto, or WxH in pixels.'),
  inputs: documented(Count, 'How many images it came with: images, mask and references.'),
  error_code: documented(v.optional(v.string()), 'The bridge_ext.code of its error.'),
  artifacts: v.array(
    v.strictObject({
      id: ArtifactId,
      width: Count,
      height: Count,
      format: v.picklist(OUTPUT_FORMATS),
      bytes: Count,
    }),
  ),
});
export type ImageJobSummary = v.InferOutput<typeof ImageJobSummary>;

export const JobPage = pageOf(ImageJobSummary);

const SearchText = v.pipe(storableText(256), v.minLength(1));

const VISIBILITIES = ['active', 'hidden', 'all'] as const;

/** The filters of the job list. `include_deleted=true` means `visibility=all` where no visibility is named. */
export const JobListQuery = v.pipe(
  closedObject({
    ...pageEntries,
    status: v.optional(v.picklist(JOB_STATUSES)),
    visibility: documented(v.optional(v.picklist(VISIBILITIES)), 'Left out, it is active.'),
    favorite: v.optional(QueryBoolean),
    provider: documented(
      v.optional(ProviderName),
      'Where the job went, or is meant to go first. One that was never used has no jobs.',
    ),
    search: documented(
      v.optional(SearchText),
      'A part of the prompt, literally, whatever the case of its letters.',
    ),
    include_deleted: documented(v.optional(QueryBoolean), 'true means visibility=all.', {
      deprecated: true,
    }),
  }),
  v.transform(({ include_deleted, visibility, ...rest }) => ({
    ...rest,
    visibility: visibility ?? (include_deleted ? ('all' as const) : ('active' as const)),
  })),
);
export type JobListQuery = v.InferOutput<typeof JobListQuery>;

/** An id that no job has, whatever its form, is a 404; its form is not checked. */
export const JobPath = v.strictObject({ id: v.string() });

/** An index of no image of the job is a 404 too. */
export const JobInputPath = v.strictObject({
  id: v.string(),
  index: documented(v.string(), 'From 0 over the images, then the mask, then the references.'),
});

export const JobQuery = closedObject({
  wait_ms: documented(
    v.optional(queryInteger(0, 30_000)),
    'How long to wait for the job to end before replying.',
  ),
});

const CANCEL_MODES = ['stop', 'finish'] as const;

export const JobCancelQuery = closedObject({
  in_flight: documented(
    v.optional(v.picklist(CANCEL_MODES), 'stop'),
    'The fate of calls that a provider has already: stop ends them, finish waits for their images and keeps them. Nothing further is sent in either case.',
  ),
});

/** What may be changed of a job: one of the two at least. */
export const JobPatch = v.pipe(
  closedObject({
    favorite: v.optional(v.boolean()),
    deleted: documented(v.optional(v.boolean()), 'Hides a job that has ended, or restores it.'),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const isObject = !dataset.issues?.some((issue) => issue.path === undefined);
    if (isObject && Object.keys(Object(dataset.value)).length === 0) {
      addIssue({ message: coded('required', 'must hold favorite, deleted or both') });
    }
  }),
  v.metadata({ minProperties: 1 }),
);
export type JobPatch = v.InferOutput<typeof JobPatch>;
