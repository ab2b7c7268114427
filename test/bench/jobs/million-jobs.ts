import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { JobStatus } from '../../../lib/contract/resources/job.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { ROW_BYTES } from '../../../lib/storage/jobs/job-rows.ts';
import { type Connection, connect } from '../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { countJobs } from '../../support/job-rows.ts';
import { FAILURE, jobRequest, jobResult } from '../../support/jobs.ts';
import { writePrompt } from './prompts.ts';

/** The scope of nearly all jobs, and a scope with one job in a thousand. */
export const BUSY_SCOPE = 'b'.repeat(64);
export const QUIET_SCOPE = 'c'.repeat(64);

/** The provider of nearly all jobs, and a provider with one image in a thousand. */
export const BUSY_PROVIDER = 'sandbox';
export const QUIET_PROVIDER = 'agent-responses';

const INSERT = `
  INSERT INTO job (
    id, scope, status, favorite, deleted, created, updated, started, completed, operation,
    provider, model, outputs, size, error_code, bytes, reserved, artifacts, prompt
  ) VALUES (
    @id, @scope, @status, @favorite, @deleted, @created, @created, @started, @completed, 'generate',
    @provider, 'image-model', 1, '1024x1024', @errorCode, @bytes, @reserved, @artifacts, @prompt
  )`;
const INSERT_CONTENT = `
  INSERT INTO job_content (seq, request_id, day, request, result, error)
  VALUES (last_insert_rowid(), @id, 1, @request, @result, @error)`;

const JOBS_A_TRANSACTION = 50_000;
export const FIRST_CREATED_SECS = 1_700_000_000;

/**
 * Fills a new database with the same jobs each time, of usual sizes: a history of every status, marks and hidden jobs, and a
 * queue. Only for a bench, because an interrupted fill loses its data.
 */
export function writeJobs(file: string, count: number, scope = BUSY_SCOPE): void {
  const ids = createIds(() => FIRST_CREATED_SECS * 1000);
  // Opened only for its tables. It closes at once because it has no work.
  void openStateDatabase({ file, ids }).close();
  const connection = connect(file);
  connection.pragma('journal_mode = OFF');
  connection.pragma('synchronous = OFF');
  connection.pragma('cache_size = -200000');
  try {
    writeRows(connection, count, scope, ids.newUuid);
  } finally {
    connection.close();
  }
  // Otherwise the first sync of the file would wait for gigabytes.
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function writeRows(
  connection: Connection,
  count: number,
  scope: string,
  newId: () => string,
): void {
  const insert = connection.prepare(INSERT);
  const insertContent = connection.prepare(INSERT_CONTENT);
  const draw = createDice();
  for (let first = 0; first < count; first += JOBS_A_TRANSACTION) {
    connection.exec('BEGIN');
    const last = Math.min(first + JOBS_A_TRANSACTION, count);
    for (let nth = first; nth < last; nth += 1) {
      const row = toRow(nth, count, newId(), draw);
      insert.run({ ...row.job, scope: draw() < 0.001 ? QUIET_SCOPE : scope });
      insertContent.run(row.content);
    }
    connection.exec('COMMIT');
  }
  countJobs(connection);
}

function toRow(nth: number, count: number, id: string, draw: () => number) {
  const prompt = writePrompt(draw);
  const status = drawStatus(nth, count, draw);
  const hasEnded = status !== 'queued' && status !== 'running';
  const artifactId = id.replaceAll('-', '');
  const request = JSON.stringify(jobRequest({ prompt }));
  const result = status === 'succeeded' ? JSON.stringify(jobResult([artifactId])) : null;
  const error = hasEnded && !result ? JSON.stringify(FAILURE) : null;
  const artifact = { id: artifactId, width: 640, height: 480, format: 'png', bytes: 1234 };
  const artifacts = result ? JSON.stringify([artifact]) : '[]';
  const created = FIRST_CREATED_SECS + nth;
  const texts = [prompt, request, result ?? '', error ?? '', artifacts.slice('[]'.length)];
  return {
    job: {
      id,
      status,
      created,
      artifacts,
      prompt,
      provider: draw() < 0.001 ? QUIET_PROVIDER : BUSY_PROVIDER,
      favorite: Number(draw() < 0.01),
      deleted: hasEnded && draw() < 0.05 ? created + 100 : null,
      started: status === 'queued' ? null : created,
      completed: hasEnded ? created + 40 : null,
      errorCode: error ? FAILURE.code : null,
      bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), ROW_BYTES),
      reserved: hasEnded ? 0 : 20_480,
    },
    content: { id, request, result, error },
  };
}

/**
 * Returns the status of the nth job. The newest hundred wait and the four before them run. Nearly all others succeeded, and
 * one in 50,000 was cancelled.
 */
function drawStatus(nth: number, count: number, draw: () => number): JobStatus {
  const age = count - nth;
  if (age <= 100) return 'queued';
  if (age <= 104) return 'running';
  const chance = draw();
  if (chance < 0.000_02) return 'cancelled';
  if (chance < 0.005) return 'interrupted';
  return chance < 0.06 ? 'failed' : 'succeeded';
}

/** Returns reproducible numbers from 0 to 1, exclusive (mulberry32). */
function createDice(): () => number {
  let state = 20_240_229;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
