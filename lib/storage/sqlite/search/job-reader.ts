import * as v from 'valibot';
import { JOB_STATUSES, type JobOrder } from '../../../contract/resources/job.ts';
import type { JobFilter } from '../../../jobs/job-store-port.ts';
import { foldPrompt } from '../../jobs/fold-prompt.ts';
import { connectToRead, limitCache } from '../connection.ts';
import { bound, matchingSql } from '../jobs/job-list.ts';
import { keepStatements } from '../kept-statements.ts';
import { blockStart } from './grams.ts';
import type { FoldedJob } from './invert-block.ts';

const FIND = `
  SELECT
    scope, status, favorite, deleted IS NOT NULL AS hidden, provider, labels, group_id AS groupId,
    model, operation, size, created, artifacts, prompt
  FROM job WHERE seq = ?`;
const FIND_ID = 'SELECT id FROM job WHERE seq = ?';
const NEWEST_BELOW = 'SELECT max(seq) FROM job WHERE seq < +?';
const OLDEST_FROM = 'SELECT min(seq) FROM job WHERE seq >= +?';
const COUNT = 'SELECT count(*) FROM job WHERE seq >= ? AND seq < ?';
const LIST_PROMPTS =
  'SELECT seq AS sequence, prompt FROM job WHERE seq >= +? AND seq < +? ORDER BY seq LIMIT +?';

const JOBS_PER_READ = 64;

const Sequence = v.nullable(v.number());
const Sequences = v.array(v.number());
const Id = v.optional(v.string());
const PromptRows = v.array(v.object({ sequence: v.number(), prompt: v.string() }));
const SearchedRow = v.optional(
  v.object({
    scope: v.string(),
    status: v.picklist(JOB_STATUSES),
    favorite: v.number(),
    hidden: v.number(),
    provider: v.string(),
    labels: v.pipe(v.string(), v.parseJson(), v.array(v.string())),
    groupId: v.nullable(v.string()),
    model: v.nullable(v.string()),
    operation: v.string(),
    size: v.string(),
    created: v.number(),
    artifacts: v.pipe(
      v.string(),
      v.parseJson(),
      v.array(v.object({ width: v.number(), height: v.number() })),
    ),
    prompt: v.string(),
  }),
);
export type SearchedJob = NonNullable<v.InferOutput<typeof SearchedRow>>;

export type JobReader = ReturnType<typeof openJobReader>;

/** Reads the jobs of the state database `file` through a read-only connection. */
export function openJobReader(file: string) {
  const connection = connectToRead(file);
  limitCache(connection);
  const find = connection.prepare(FIND);
  const findId = connection.prepare(FIND_ID).pluck();
  const newestBelow = connection.prepare(NEWEST_BELOW).pluck();
  const oldestFrom = connection.prepare(OLDEST_FROM).pluck();
  const count = connection.prepare(COUNT).pluck();
  const listPrompts = connection.prepare(LIST_PROMPTS);
  const matching = keepStatements((sql) => connection.prepare(sql).pluck());

  return {
    find: (sequence: number): SearchedJob | undefined => v.parse(SearchedRow, find.get(sequence)),
    idOf: (sequence: number) => v.parse(Id, findId.get(sequence)),
    newestBelow: (sequence: number) => v.parse(Sequence, newestBelow.get(sequence)),
    oldestFrom: (sequence: number) => v.parse(Sequence, oldestFrom.get(sequence)),
    countIn: (block: number) =>
      v.parse(v.number(), count.get(blockStart(block), blockStart(block + 1))),
    /** Returns the jobs beyond `edge` in this order that match the filter, with any prompt. */
    matching: (
      scope: string,
      filter: JobFilter,
      { order, ...page }: { order: JobOrder; edge: number; limit: number },
    ) =>
      v.parse(
        Sequences,
        matching(matchingSql(filter, order)).all({ scope, ...bound(filter), ...page }),
      ),
    /** Returns the next jobs by ascending sequence. The list is empty only if there are no more jobs. */
    listPrompts(from: number, end: number): readonly FoldedJob[] {
      const rows = v.parse(PromptRows, listPrompts.all(from, end, JOBS_PER_READ));
      return rows.map(({ sequence, prompt }) => ({ sequence, prompt: foldPrompt(prompt) }));
    },
    close: () => connection.close(),
  };
}
