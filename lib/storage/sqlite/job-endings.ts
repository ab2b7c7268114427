import * as v from 'valibot';
import type { ImageResponse } from '../../contract/reply/image-response.ts';
import type { ImageJobSummary } from '../../contract/resources/job.ts';
import type { JobEnd, JobStore } from '../../jobs/job-store-port.ts';
import type { StateDatabase } from './database.ts';
import { isAbandonedSql } from './owner-lease.ts';
import { preparePublish } from './publish-artifacts.ts';

const END = `
  UPDATE job SET
    status = @status, owner = NULL, completed = @completed, updated = @completed, reserved = 0,
    error_code = @errorCode, artifacts = @artifacts, bytes = bytes + @bytes,
    provider = coalesce(@provider, provider), model = coalesce(@model, model)
  WHERE seq = @seq AND status = @from AND owner IS @owner
    AND (cancel_requested = 0 OR @status <> 'succeeded')`;
const END_CONTENT = 'UPDATE job_content SET result = ?, error = ? WHERE seq = ?';
const LIST_ABANDONED = `
  SELECT seq, owner FROM job WHERE status = 'running' AND ${isAbandonedSql('job')}`;

const AbandonedRows = v.array(v.object({ seq: v.number(), owner: v.nullable(v.string()) }));

// As `job` has it for every job that is accepted.
const NO_ARTIFACTS = '[]';

/** Ends one job inside the caller's transaction. */
export interface JobEnding {
  /**
   * Whether the job was in the status `from`, as `owner`'s if it was running, and may end like this: one that was asked to
   * stop never succeeds. Otherwise nothing was changed. The owner is this process by default.
   */
  end(sequence: number, from: 'queued' | 'running', end: JobEnd, owner?: string | null): boolean;
}

export function prepareJobEnding(database: StateDatabase): JobEnding {
  const endJob = database.prepare(END);
  const endContent = database.prepare(END_CONTENT);
  const publish = preparePublish(database);

  return {
    end(sequence, from, end, owner = from === 'running' ? database.owner : null) {
      const { status, completedSecs: completed } = end;
      const texts = toTexts(end);
      const { errorCode, provider, model, artifacts } = texts;
      const row = {
        seq: sequence,
        from,
        owner,
        status,
        completed,
        errorCode,
        provider,
        model,
        artifacts,
      };
      if (endJob.run({ ...row, bytes: sizeOf(texts) }).changes === 0) return false;
      endContent.run(texts.result, texts.error, sequence);
      if (end.status === 'succeeded') publish(end.publications);
      return true;
    },
  };
}

export function createJobEndings(
  database: StateDatabase,
  ending: JobEnding,
): Pick<JobStore, 'settle' | 'interruptAbandoned'> {
  const listAbandoned = database.prepare(LIST_ABANDONED);
  const { owner: self } = database;

  return {
    settle: (sequence, end) => database.write(() => ending.end(sequence, 'running', end)),
    interruptAbandoned: ({ atSecs, error }) =>
      database.write(() => {
        const end = { status: 'interrupted', completedSecs: atSecs, error } as const;
        const found = listAbandoned.all({ owner: self, nowSecs: atSecs });
        const abandoned = v.parse(AbandonedRows, found);
        for (const { seq, owner } of abandoned) ending.end(seq, 'running', end, owner);
        return abandoned.length;
      }),
  };
}

interface EndTexts {
  readonly result: string | null;
  readonly error: string | null;
  readonly errorCode: string | null;
  readonly artifacts: string;
  readonly provider: string | null;
  readonly model: string | null;
}

function toTexts(end: JobEnd): EndTexts {
  if (end.status !== 'succeeded') {
    const { error } = end;
    return {
      result: null,
      artifacts: NO_ARTIFACTS,
      provider: null,
      model: null,
      error: JSON.stringify(error),
      errorCode: error.code,
    };
  }
  const { provider, model } = end.result;
  return {
    error: null,
    errorCode: null,
    provider,
    model,
    result: JSON.stringify(end.result),
    artifacts: JSON.stringify(artifactsOf(end.result)),
  };
}

/** What the texts of an end add to the size of its job. */
function sizeOf({ result, error, artifacts }: EndTexts): number {
  return [result ?? '', error ?? '', artifacts.slice(NO_ARTIFACTS.length)].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
}

function artifactsOf({ data }: ImageResponse): ImageJobSummary['artifacts'] {
  return data.flatMap((image) => {
    if (image.type !== 'artifact') return [];
    const { id, width, height, format, bytes } = image;
    return [{ id, width, height, format, bytes }];
  });
}
