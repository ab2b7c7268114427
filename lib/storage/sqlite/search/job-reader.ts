import * as v from 'valibot';
import type { JobOrder } from '../../../contract/resources/job.ts';
import type { JobFilter } from '../../../jobs/job-store-port.ts';
import { foldPrompt } from '../../jobs/fold-prompt.ts';
import { connectToRead, limitCache } from '../connection.ts';
import { bound, matchingSql, promptsSql } from '../jobs/job-list.ts';
import { keepStatements } from '../kept-statements.ts';
import { blockStart } from './grams.ts';
import type { FoldedJob } from './invert-block.ts';

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

export type JobReader = ReturnType<typeof openJobReader>;

/** Reads the jobs of the state database `file` through a read-only connection. */
export function openJobReader(file: string) {
  const connection = connectToRead(file);
  limitCache(connection);
  const findId = connection.prepare(FIND_ID).pluck();
  const newestBelow = connection.prepare(NEWEST_BELOW).pluck();
  const oldestFrom = connection.prepare(OLDEST_FROM).pluck();
  const count = connection.prepare(COUNT).pluck();
  const listPrompts = connection.prepare(LIST_PROMPTS);
  const matching = keepStatements((sql) => connection.prepare(sql).pluck());
  const prompts = keepStatements((sql) => connection.prepare(sql));

  function toFolded(rows: unknown): readonly FoldedJob[] {
    return v
      .parse(PromptRows, rows)
      .map(({ sequence, prompt }) => ({ sequence, prompt: foldPrompt(prompt) }));
  }

  return {
    /** Returns the jobs of the list `sequences` that match the filter, in the same order. */
    foldedOf: (
      scope: string,
      filter: JobFilter,
      { order, sequences }: { order: JobOrder; sequences: readonly number[] },
    ): readonly FoldedJob[] =>
      toFolded(
        prompts(promptsSql(filter, order)).all({
          scope,
          ...bound(filter),
          sequences: JSON.stringify(sequences),
        }),
      ),
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
    listPrompts: (from: number, end: number): readonly FoldedJob[] =>
      toFolded(listPrompts.all(from, end, JOBS_PER_READ)),
    close: () => connection.close(),
  };
}
