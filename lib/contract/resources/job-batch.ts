import * as v from 'valibot';
import { ProviderName } from '../request/routing.ts';
import { closedObject } from '../schema/closed-object.ts';
import { Count, documented, UnixSecs } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitedList } from '../schema/request-limits.ts';
import { JOB_STATUSES, JobId, Priority, VISIBILITIES } from './job.ts';
import { factBodyEntries } from './job-filter.ts';
import { GroupId } from './job-group.ts';
import { Label, Labels } from './label.ts';
import { SEARCH_QUERY, SearchQuery, SearchText } from './search-terms.ts';

/** The maximum number of jobs in one batch. */
export const MAX_BATCH = 10_000;
/** The maximum number of ids in the body of a batch. */
const MAX_BATCH_IDS = 1000;
/** The maximum number of ids of skipped jobs with the same reason in a reply. */
export const MAX_SKIPPED_IDS = 20;

/** The time for which a batch can be undone. */
export const UNDO_SECS = 86_400;

const ACTIONS = [
  'cancel',
  'hide',
  'restore',
  'favorite',
  'unfavorite',
  'label',
  'priority',
] as const;
export type BatchAction = (typeof ACTIONS)[number];

/** The filters of a batch, which select the same jobs as the filters of the list. */
const BatchFilter = closedObject({
  status: v.optional(v.picklist(JOB_STATUSES)),
  visibility: documented(
    v.optional(v.picklist(VISIBILITIES), 'active'),
    'The visibility of the selected jobs.',
  ),
  favorite: v.optional(v.boolean()),
  label: v.optional(Label),
  group: v.optional(GroupId),
  provider: v.optional(ProviderName),
  ...factBodyEntries,
  search: documented(v.optional(SearchText), 'A literal part of the prompt.'),
  q: documented(v.optional(SearchQuery), SEARCH_QUERY),
});
export type BatchFilter = v.InferOutput<typeof BatchFilter>;

const entries = {
  action: documented(
    v.picklist(ACTIONS),
    'The change of each job. `cancel` changes queued jobs, and running jobs only with `running`.',
  ),
  ids: documented(
    v.optional(v.pipe(limitedList(JobId, MAX_BATCH_IDS), v.minLength(1))),
    'The jobs to change. Required without `filter`.',
    { minItems: 1, maxItems: MAX_BATCH_IDS },
  ),
  filter: documented(
    v.optional(BatchFilter),
    'Selects the jobs to change. Required without `ids`, and only with `expected_count`.',
  ),
  expected_count: documented(
    v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_BATCH))),
    'The number of jobs that the filter is expected to select. If more jobs match, no job is changed.',
  ),
  running: documented(
    v.optional(v.boolean(), false),
    'Only for `cancel`: true also cancels running jobs.',
  ),
  add_labels: documented(v.optional(Labels, []), 'Only for `label`: the labels to add.'),
  remove_labels: documented(v.optional(Labels, []), 'Only for `label`: the labels to remove.'),
  priority: documented(
    v.optional(Priority),
    'Only for `priority`, and required: the new priority of queued jobs.',
  ),
};

/** The body of `POST /v1/jobs/batch`. */
export const JobBatch = v.pipe(
  closedObject(entries),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { action, ids, filter, expected_count, add_labels, remove_labels } = dataset.value;
    const refuse = (field: keyof typeof entries, code: string, message: string) =>
      addIssue({
        message: coded(code, message),
        path: [
          { type: 'object', origin: 'value', input: dataset.value, key: field, value: undefined },
        ],
      });
    if (ids === undefined && filter === undefined) {
      refuse('ids', 'required', 'must be present if filter is absent');
    }
    if (ids !== undefined && filter !== undefined) {
      refuse('filter', 'conflict', 'must be absent if ids is present');
    }
    if ((filter === undefined) !== (expected_count === undefined)) {
      refuse('expected_count', 'required', 'must be present if and only if filter is present');
    }
    if (add_labels.length + remove_labels.length > 0 !== (action === 'label')) {
      refuse(
        'add_labels',
        'required',
        'must have a label, or remove_labels must have one, if and only if action is label',
      );
    }
    if ((dataset.value.priority !== undefined) !== (action === 'priority')) {
      refuse('priority', 'required', 'must be present if and only if action is priority');
    }
    if (dataset.value.running && action !== 'cancel') {
      refuse('running', 'conflict', 'must be absent unless action is cancel');
    }
  }),
);
export type JobBatch = v.InferOutput<typeof JobBatch>;

const SKIP_REASONS = [
  'not_found',
  'unchanged',
  'ended',
  'not_ended',
  'running',
  'not_queued',
  'too_many_labels',
  'refused',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

const outcome = {
  done: documented(Count, 'The number of changed jobs.'),
  skipped: documented(
    v.array(
      v.strictObject({
        reason: documented(
          v.picklist(SKIP_REASONS),
          'The reason why these jobs were not changed. `refused`: the request of a cancelled job could not be queued again, for example because the queue is full.',
        ),
        count: Count,
        ids: documented(
          v.array(v.string()),
          `The first ${MAX_SKIPPED_IDS} of these jobs, in the order of the batch.`,
          { maxItems: MAX_SKIPPED_IDS },
        ),
      }),
    ),
    'The jobs that were not changed, by reason.',
  ),
};

export const JobBatchResult = v.strictObject({
  ...outcome,
  undo: documented(
    v.optional(v.strictObject({ id: JobId, expires: UnixSecs })),
    'The id with which the changes can be undone until the stated time. Absent if no job was changed.',
  ),
});
export type JobBatchResult = v.InferOutput<typeof JobBatchResult>;

export const JobBatchUndoResult = v.strictObject(outcome);
export type JobBatchUndoResult = v.InferOutput<typeof JobBatchUndoResult>;

/** The path parameters of a batch. */
export const JobBatchPath = v.strictObject({ id: v.string() });
