import * as v from 'valibot';
import type { ImageResponse } from '../../contract/reply/image-response.ts';
import type { ImageJobSummary } from '../../contract/resources/job.ts';
import type { JobEnd, JobStore } from '../../jobs/job-store-port.ts';
import type { StateDatabase } from './database.ts';
import { preparePublish } from './publish-artifacts.ts';

const END = `
  UPDATE job SET
    status = @status, completed = @completed, updated = @completed, reserved = 0,
    error_code = @errorCode, artifacts = @artifacts, bytes = bytes + @bytes,
    provider = coalesce(@provider, provider), model = coalesce(@model, model)
  WHERE seq = @seq AND status = @from AND (cancel_requested = 0 OR @status <> 'succeeded')`;
const END_CONTENT = 'UPDATE job_content SET result = ?, error = ? WHERE seq = ?';
const FORGET_INPUTS = 'DELETE FROM job_input WHERE seq = ? RETURNING sha256';
const FIND_INPUT_USER = 'SELECT 1 FROM job_input WHERE sha256 = ? LIMIT 1';
const LIST_RUNNING = "SELECT seq FROM job WHERE status = 'running'";

const Sha256Row = v.object({ sha256: v.string() });
const Sha256Rows = v.array(Sha256Row);
const SeqRows = v.array(v.object({ seq: v.number() }));

// As `job` has it for every job that is accepted.
const NO_ARTIFACTS = '[]';

/** Ends one job inside the transaction of whoever calls. */
export interface JobEnding {
  /**
   * Whether the job was in the status `from` and may end like this: one that was asked to stop never succeeds. Otherwise
   * nothing was changed.
   */
  end(sequence: number, from: 'queued' | 'running', end: JobEnd): boolean;
  /** The stored images that these jobs needed and no other job needs. */
  release(sequences: readonly number[]): readonly string[];
}

export function prepareJobEnding(database: StateDatabase): JobEnding {
  const endJob = database.prepare(END);
  const endContent = database.prepare(END_CONTENT);
  const forgetInputs = database.prepare(FORGET_INPUTS);
  const findInputUser = database.prepare(FIND_INPUT_USER);
  const publish = preparePublish(database);

  return {
    end(sequence, from, end) {
      const { status, completedSecs: completed } = end;
      const texts = toTexts(end);
      const { errorCode, provider, model, artifacts } = texts;
      const row = { seq: sequence, from, status, completed, errorCode, provider, model, artifacts };
      if (endJob.run({ ...row, bytes: weightOf(texts) }).changes === 0) return false;
      endContent.run(texts.result, texts.error, sequence);
      if (end.status === 'succeeded') publish(end.publications);
      return true;
    },
    release(sequences) {
      const needed = sequences.flatMap((sequence) =>
        v.parse(Sha256Rows, forgetInputs.all(sequence)).map(({ sha256 }) => sha256),
      );
      return [...new Set(needed)].filter((sha256) => findInputUser.get(sha256) === undefined);
    },
  };
}

export function createJobEndings(
  database: StateDatabase,
  ending: JobEnding,
): Pick<JobStore, 'settle' | 'interruptRunning'> {
  const listRunning = database.prepare(LIST_RUNNING);

  return {
    settle: (sequence, end) =>
      database.write(() => {
        if (!ending.end(sequence, 'running', end)) return undefined;
        return { releasedInputs: ending.release([sequence]) };
      }),
    interruptRunning: ({ atSecs: completedSecs, error }) =>
      database.write(() => {
        const running = v.parse(SeqRows, listRunning.all()).map(({ seq }) => seq);
        for (const sequence of running) {
          ending.end(sequence, 'running', { status: 'interrupted', completedSecs, error });
        }
        return { interrupted: running.length, releasedInputs: ending.release(running) };
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
      ...{ result: null, artifacts: NO_ARTIFACTS, provider: null, model: null },
      error: JSON.stringify(error),
      errorCode: error.code,
    };
  }
  const { provider, model } = end.result;
  return {
    ...{ error: null, errorCode: null, provider, model },
    result: JSON.stringify(end.result),
    artifacts: JSON.stringify(artifactsOf(end.result)),
  };
}

/** What the texts of an end add to the weight of its job. */
function weightOf({ result, error, artifacts }: EndTexts): number {
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
