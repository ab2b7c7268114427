import * as v from 'valibot';
import { FlatBridgeError } from '../reply/error.ts';
import { GeneratedImage, ImageResponse } from '../reply/image-response.ts';
import { STAGES } from '../reply/stream-events.ts';
import { StoredInput } from '../request/image-input.ts';
import { imageRequestEntries, sharedRequestEntries } from '../request/image-request.ts';
import { requestRules } from '../request/image-request-rules.ts';
import { Output, Transparency } from '../request/output.ts';
import { RequestParameters, Size } from '../request/parameters.ts';
import { Policies, ProviderName, Routing, Session } from '../request/routing.ts';
import { closedObject, isPlainObject } from '../schema/closed-object.ts';
import { ArtifactId, Count, documented, PromptText, UnixSecs } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { pageEntries, pageOf, QueryBoolean, queryInteger } from '../schema/page.ts';
import { limitedList } from '../schema/request-limits.ts';
import { ShortText, text } from '../schema/text.ts';
import { imageMarkEntries, JobArtifact } from './artifact.ts';
import { factQueryEntries, OPERATIONS } from './job-filter.ts';
import { GroupId, JobGroup } from './job-group.ts';
import { LABEL, Label, Labels, StoredLabels } from './label.ts';
import { SEARCH_QUERY, SearchQuery, SearchText } from './search-terms.ts';

export const JOB_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** The request of a job, with its defaults and without its idempotency key (`docs/contract.md`, section 3). */
export const JobRequest = v.strictObject({
  ...sharedRequestEntries,
  version: v.literal('1'),
  prompt: PromptText,
  images: v.array(StoredInput),
  mask: v.nullable(StoredInput),
  reference_images: v.array(StoredInput),
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

/** Returns the input images of a request in the order of their indexes: images, mask, reference images. */
export function inputsOf({ images, mask, reference_images }: JobRequest): readonly StoredInput[] {
  return [...images, ...(mask === null ? [] : [mask]), ...reference_images];
}

/** The final statuses of a job. */
export const JOB_ENDS = ['succeeded', 'failed', 'cancelled', 'interrupted'] as const;

const ENDS: ReadonlySet<JobStatus> = new Set(JOB_ENDS);

/** Returns true if a job with this status has ended. The status of an ended job never changes. */
export function isTerminal(status: JobStatus): boolean {
  return ENDS.has(status);
}

/** The webhook that receives the ended job. */
export const Webhook = closedObject({
  url: documented(
    text({ maxLength: 2048 }),
    'An https URL, or an http URL on loopback, with a host listed in `server.webhooks.allowed_hosts`.',
  ),
  events: documented(
    v.optional(v.pipe(limitedList(v.picklist(JOB_ENDS), JOB_ENDS.length), v.minLength(1)), [
      ...JOB_ENDS,
    ]),
    'The final statuses to send; all if omitted.',
    { minItems: 1, maxItems: JOB_ENDS.length },
  ),
});
export type Webhook = v.InferOutput<typeof Webhook>;

export const Priority = v.pipe(v.number(), v.integer(), v.minValue(-100), v.maxValue(100));

const AnyJobCreate = v.pipe(
  closedObject({
    ...imageRequestEntries,
    priority: documented(
      v.optional(Priority, 0),
      'Orders the queued jobs of the caller: highest priority first, then in the order of acceptance. Tokens take turns, independent of the priorities of their jobs.',
    ),
    labels: documented(
      v.optional(Labels, []),
      `Labels to find the job by, at most 16; equal labels are stored once. A label has ${LABEL} Labels are compared exactly, and can be changed later.`,
    ),
    group: documented(
      v.optional(JobGroup),
      'The group to which the job belongs, and its place there. Never sent to a provider.',
    ),
    webhook: documented(
      v.optional(Webhook),
      'The webhook that receives the ended job. Requires the setting `server.webhooks.enabled`.',
    ),
  }),
  v.rawCheck((context) => requestRules(context)),
);

/**
 * The body of `POST /v1/jobs`. `response_format` is replaced by `artifact` before any rule checks the request, because the
 * images of a job are always artifacts.
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

export const JobId = v.pipe(ShortText, v.uuid());

const jobEntries = {
  id: JobId,
  status: v.picklist(JOB_STATUSES),
  created: UnixSecs,
  updated: UnixSecs,
  started: v.optional(UnixSecs),
  completed: v.optional(UnixSecs),
  cancel_requested: v.boolean(),
  priority: documented(v.optional(Priority), 'The priority; 0 if absent.'),
  labels: StoredLabels,
  group: documented(
    v.optional(JobGroup),
    'The group of the job, and its place there. A retry has the same place. Absent if the job has no group.',
  ),
  favorite: documented(
    v.boolean(),
    'True if the job is a favourite, which retention does not delete.',
  ),
  deleted: documented(
    v.optional(UnixSecs),
    'The time at which the job was hidden. A hidden job can be restored.',
  ),
  retried_as: documented(
    v.optional(JobId),
    'The id of the newest job that retries this job, also after the undo of a cancellation. Absent if no retry is stored.',
  ),
  progress: v.optional(
    v.strictObject({
      stage: v.picklist(STAGES),
      partial_images: documented(Count, 'The number of partial images so far.'),
      finished_images: documented(Count, 'The number of requested images that are finished.'),
    }),
  ),
};

/** The finished images of a job that did not succeed. */
export const PartialResult = v.strictObject({ data: v.array(GeneratedImage) });
export type PartialResult = v.InferOutput<typeof PartialResult>;

const JobParent = v.strictObject({
  input: documented(
    Count,
    'The index of the input image: first the images, then the mask, then the reference images.',
  ),
  artifact_id: documented(ArtifactId, 'The id of the image, which may have been removed.'),
  job_id: documented(
    v.optional(JobId),
    'The id of the job that made the image, which may have been removed. Absent if the image was made without a job.',
  ),
  image: documented(v.optional(Count), 'The position of the image in the `artifacts` of that job.'),
  name: documented(v.string(), 'The name of the file when the job was accepted.'),
  width: Count,
  height: Count,
  created: documented(UnixSecs, 'The time at which the image was made.'),
});

/** The input images that this bridge made. */
export const DerivedFrom = documented(
  v.optional(v.array(JobParent)),
  'The input images that were sent as artifacts of this bridge. Absent if there are none.',
);

export const ImageJob = v.strictObject({
  ...jobEntries,
  request: JobRequest,
  retry_of: documented(
    v.optional(JobId),
    'The id of the earlier job if this job was created by a retry.',
  ),
  derived_from: DerivedFrom,
  result: v.optional(ImageResponse),
  partial_result: documented(
    v.optional(PartialResult),
    'The finished images of a job that did not succeed. A retry requests only the missing images.',
  ),
  error: v.optional(FlatBridgeError),
  marks: documented(
    v.optional(v.array(v.strictObject({ artifact_id: ArtifactId, ...imageMarkEntries }))),
    'The images of the job that have marks (`PATCH /v1/artifacts/{id}`). Absent if there are none.',
  ),
  webhook: documented(
    v.optional(
      v.strictObject({
        status: v.picklist(['pending', 'delivered', 'failed']),
        attempts: documented(Count, 'The number of delivery attempts.'),
        last_status: documented(
          v.optional(Count),
          'The HTTP status of the last reply, if there was a reply.',
        ),
      }),
    ),
    'The delivery of the ended job to its webhook; absent if the job is not sent.',
  ),
});
export type ImageJob = v.InferOutput<typeof ImageJob>;

/** A job in a list, without its images, its result and its error. */
export const ImageJobSummary = v.strictObject({
  ...jobEntries,
  operation: v.picklist(OPERATIONS),
  prompt: documented(v.string(), 'The first 256 characters of the prompt.', { maxLength: 256 }),
  provider: v.string(),
  model: v.optional(v.string()),
  outputs: documented(Count, 'The number of requested images.'),
  size: documented(Size, 'The size requested from the provider: auto, or WxH in pixels.'),
  inputs: documented(Count, 'The number of input images: images, mask and reference images.'),
  error_code: documented(v.optional(v.string()), 'The `bridge_ext.code` of the error.'),
  artifacts: v.array(JobArtifact),
});
export type ImageJobSummary = v.InferOutput<typeof ImageJobSummary>;

/** The maximum value of a total. */
export const MAX_TOTAL = 10_000;

export const JobPage = v.strictObject({
  ...pageOf(ImageJobSummary).entries,
  total: documented(
    v.optional(
      v.strictObject({
        count: documented(v.pipe(Count, v.maxValue(MAX_TOTAL)), 'The number of matching jobs.'),
        at_least: documented(
          v.boolean(),
          `True if more than ${MAX_TOTAL} jobs match. \`count\` is then ${MAX_TOTAL}.`,
        ),
      }),
    ),
    'The number of jobs on all pages of the list. Present if `total=true`.',
  ),
});
export type JobPage = v.InferOutput<typeof JobPage>;

/** The orders of a list of jobs. */
export const JOB_ORDERS = ['newest', 'oldest'] as const;
export type JobOrder = (typeof JOB_ORDERS)[number];

export const VISIBILITIES = ['active', 'hidden', 'all'] as const;

/** The filters that select jobs in a query. */
export const jobFilterEntries = {
  status: v.optional(v.picklist(JOB_STATUSES)),
  visibility: documented(
    v.optional(v.picklist(VISIBILITIES)),
    'The visibility of the listed jobs; active if omitted.',
  ),
  favorite: v.optional(QueryBoolean),
  label: documented(v.optional(Label), 'Only jobs with this label.'),
  group: documented(v.optional(GroupId), 'Only jobs of the group with this id.'),
  provider: documented(
    v.optional(ProviderName),
    'The provider that ran the job, or the first provider of a job that has not run. An unused provider name matches no jobs.',
  ),
  ...factQueryEntries,
  search: documented(
    v.optional(SearchText),
    'A literal part of the prompt, without regard to case.',
  ),
  q: documented(v.optional(SearchQuery), SEARCH_QUERY),
};

/** The filters of the job list. `include_deleted=true` means `visibility=all` if `visibility` is omitted. */
export const JobListQuery = v.pipe(
  closedObject({
    ...pageEntries,
    ...jobFilterEntries,
    order: documented(
      v.optional(v.picklist(JOB_ORDERS)),
      'The job that comes first: the job that was accepted last, or the job that was accepted first. newest if omitted.',
    ),
    total: documented(
      v.optional(QueryBoolean),
      `true adds the number of jobs on all pages, exact up to ${MAX_TOTAL}. This takes longer.`,
    ),
    include_deleted: documented(
      v.optional(QueryBoolean),
      'true means visibility=all. Use `visibility` instead.',
      { deprecated: true },
    ),
  }),
  v.transform(({ include_deleted, visibility, ...rest }) => ({
    ...rest,
    visibility: visibility ?? (include_deleted ? ('all' as const) : ('active' as const)),
  })),
);
export type JobListQuery = v.InferOutput<typeof JobListQuery>;

/** The path parameters of a job. The format of the id is not checked; any unknown id returns 404. */
export const JobPath = v.strictObject({ id: v.string() });

/** The path parameters of an input image. An unknown index returns 404. */
export const JobInputPath = v.strictObject({
  id: v.string(),
  index: documented(
    v.string(),
    'The index from 0: first the images, then the mask, then the reference images.',
  ),
});

export const JobQuery = closedObject({
  wait_ms: documented(
    v.optional(queryInteger(0, 30_000)),
    'The maximum time to wait for the end of the job, in milliseconds.',
  ),
});

const CANCEL_MODES = ['stop', 'finish'] as const;

export const JobCancelQuery = closedObject({
  in_flight: documented(
    v.optional(v.picklist(CANCEL_MODES), 'stop'),
    'The handling of running provider calls: stop aborts them, finish waits for their images and keeps them. In both cases no further calls are started.',
  ),
});

/** The mutable fields of a job, of which at least one is required. */
export const JobPatch = v.pipe(
  closedObject({
    favorite: v.optional(v.boolean()),
    deleted: documented(v.optional(v.boolean()), 'true hides an ended job, false restores it.'),
    labels: documented(
      v.optional(Labels),
      'Replaces all labels of the job. An empty list removes the labels.',
    ),
    priority: documented(
      v.optional(Priority),
      'Changes the place of a queued job among the queued jobs of the caller.',
    ),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const isObject = !dataset.issues?.some((issue) => issue.path === undefined);
    if (isObject && Object.keys(Object(dataset.value)).length === 0) {
      addIssue({
        message: coded('required', 'must contain favorite, deleted, labels or priority'),
      });
    }
  }),
  v.metadata({ minProperties: 1 }),
);
export type JobPatch = v.InferOutput<typeof JobPatch>;
