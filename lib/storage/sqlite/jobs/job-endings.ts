import * as v from 'valibot';
import type { ImageJobSummary, PartialResult } from '../../../contract/resources/job.ts';
import type { JobEnd } from '../../../jobs/job-end-port.ts';
import type { JobStore } from '../../../jobs/job-store-port.ts';
import { ArtifactRow } from '../artifact-rows.ts';
import type { StateDatabase } from '../database.ts';
import { prepareJobAccounts } from '../ledger-writes.ts';
import { isAbandonedSql } from '../owner-lease.ts';
import { preparePublish } from '../publish-artifacts.ts';
import { LIST_ABANDONED_OUTPUTS, prepareJobOutputs } from './job-outputs.ts';
import type { JobScopes } from './job-scopes.ts';

const END = `
  UPDATE job SET
    status = @status, owner = NULL, completed = @completed, updated = @completed, reserved = 0,
    error_code = @errorCode, artifacts = @artifacts, bytes = bytes + @bytes,
    provider = coalesce(@provider, provider), model = coalesce(@model, model)
  WHERE seq = @seq`;
const MAY_END = `
  SELECT id, scope, bytes + reserved AS held FROM job
  WHERE seq = @seq AND status = @from AND owner IS @owner
    AND (cancel_requested = 0 OR @status <> 'succeeded')`;
const END_CONTENT = `
  UPDATE job_content SET result = @result, partial_result = @partial, error = @error
  WHERE seq = @seq`;
const MAKE_WEBHOOK_DUE = `
  UPDATE webhook SET state = 'pending', due = @completed * 1000
  WHERE seq = @seq AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = +@status)`;
const LIST_ABANDONED = `
  SELECT seq, owner FROM job WHERE status = 'running' AND ${isAbandonedSql('job')}`;

const FoundJob = v.optional(v.object({ id: v.string(), scope: v.string(), held: v.number() }));
const Records = v.array(ArtifactRow);
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

export function prepareJobEnding(
  database: StateDatabase,
  scopes: Pick<JobScopes, 'countEnd'>,
): JobEnding {
  const mayEnd = database.prepare(MAY_END);
  const endJob = database.prepare(END);
  const endContent = database.prepare(END_CONTENT);
  const makeWebhookDue = database.prepare(MAKE_WEBHOOK_DUE);
  const publish = preparePublish(database);
  const outputs = prepareJobOutputs(database);
  const accounts = prepareJobAccounts(database);

  return {
    end(sequence, from, end, owner = from === 'running' ? database.owner : null) {
      const { status, completedSecs: completed } = end;
      const job = v.parse(FoundJob, mayEnd.get({ seq: sequence, from, owner, status }));
      if (job === undefined) return false;
      const partial =
        status === 'succeeded' ? undefined : outputs.keep(sequence, end.publications ?? []);
      const { result, error, ...texts } = toTexts(end, partial);
      const { partial: partialText, ...facts } = texts;
      const bytes = sizeOf({ result, error, ...texts });
      endJob.run({ seq: sequence, status, completed, ...facts, bytes });
      scopes.countEnd(sequence, { ...job, queued: Number(from === 'queued') });
      if (from === 'queued') accounts.giveBack(sequence);
      else accounts.close(job.id, { settlement: end.settlement, kept: indicesOf(partial) });
      endContent.run({ seq: sequence, result, partial: partialText, error });
      if (status === 'succeeded') publish(end.publications);
      outputs.remove(sequence);
      makeWebhookDue.run({ seq: sequence, status, completed });
      return true;
    },
  };
}

export function createJobEndings(
  database: StateDatabase,
  ending: JobEnding,
): Pick<JobStore, 'settle' | 'listAbandonedOutputs' | 'interruptAbandoned'> {
  const listAbandoned = database.prepare(LIST_ABANDONED);
  const listOutputs = database.prepare(LIST_ABANDONED_OUTPUTS);
  const { owner: self } = database;

  return {
    settle: (sequence, end) => database.write(() => ending.end(sequence, 'running', end)),
    listAbandonedOutputs: (nowSecs) =>
      database.read(() => v.parse(Records, listOutputs.all({ owner: self, nowSecs }))),
    interruptAbandoned: ({ atSecs, error, publications = [] }) =>
      database.write(() => {
        const end = { status: 'interrupted', completedSecs: atSecs, error, publications } as const;
        const found = listAbandoned.all({ owner: self, nowSecs: atSecs });
        const abandoned = v.parse(AbandonedRows, found);
        for (const { seq, owner } of abandoned) ending.end(seq, 'running', end, owner);
        return abandoned.length;
      }),
  };
}

interface EndTexts {
  readonly result: string | null;
  readonly partial: string | null;
  readonly error: string | null;
  readonly errorCode: string | null;
  readonly artifacts: string;
  readonly provider: string | null;
  readonly model: string | null;
}

function toTexts(end: JobEnd, partial: PartialResult | undefined): EndTexts {
  if (end.status !== 'succeeded') {
    const { error } = end;
    return {
      result: null,
      partial: partial ? JSON.stringify(partial) : null,
      artifacts: partial ? JSON.stringify(artifactsOf(partial)) : NO_ARTIFACTS,
      provider: null,
      model: null,
      error: JSON.stringify(error),
      errorCode: error.code,
    };
  }
  const { provider, model } = end.result;
  return {
    partial: null,
    error: null,
    errorCode: null,
    provider,
    model,
    result: JSON.stringify(end.result),
    artifacts: JSON.stringify(artifactsOf(end.result)),
  };
}

/** What the texts of an end add to the size of its job. */
function sizeOf({ result, partial, error, artifacts }: EndTexts): number {
  const texts = [result ?? '', partial ?? '', error ?? '', artifacts.slice(NO_ARTIFACTS.length)];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function indicesOf(partial: PartialResult | undefined): ReadonlySet<number> {
  return new Set(partial?.data.map(({ index }) => index));
}

function artifactsOf({ data }: PartialResult): ImageJobSummary['artifacts'] {
  return data.flatMap((image) => {
    if (image.type !== 'artifact') return [];
    const { id, width, height, format, bytes } = image;
    return [{ id, width, height, format, bytes }];
  });
}
