import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { CHECKS } from '../../support/drivers.ts';
import { createResponsesUpstream } from '../../support/responses-upstream/responses-upstream.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  startBridge,
  stateOf,
} from '../../support/start-bridge.ts';
import { agentSettings } from '../providers/agent-responses-rig.ts';
import { storedInputs } from './jobs-rig.ts';

// Set JOB_KILLS=1000 for a long run.
const KILLS = Number(process.env['JOB_KILLS'] ?? 5);
const TIMEOUT_MS = 60_000 + KILLS * 10_000;
const JOBS_A_ROUND = 12;
const SENDERS = 4;
const LONGEST_LIFE_MS = 400;
const CANCEL_EVERY = 7;

afterAll(cleanUp);

interface Submission {
  readonly key: string;
  readonly prompt: string;
  readonly body: object;
  /** Id of the job. Set after the 202. */
  id?: string;
}

/** Every third request edits an image of its own, every sixth an image that many requests share. */
async function newSubmission(nth: number): Promise<Submission> {
  const prompt = `job-${nth}-of-many`;
  const key = `key-${nth}`;
  if (nth % 3 !== 0) return { key, prompt, body: { prompt } };
  const background = nth % 6 === 0 ? 'red' : { r: nth % 256, g: (nth >> 8) % 256, b: 9 };
  const create = { width: 8, height: 8, channels: 3, background } as const;
  const data = (await sharp({ create }).png().toBuffer()).toString('base64');
  return { key, prompt, body: { operation: 'edit', prompt, images: [{ type: 'base64', data }] } };
}

/** Sends the remaining requests until all are accepted or the program has ended. */
async function sendAll(address: string, submissions: readonly Submission[]): Promise<void> {
  const left = submissions.filter(({ id }) => id === undefined);
  const sender = async () => {
    for (let submission = left.shift(); submission; submission = left.shift()) {
      const response = await fetch(`${address}/v1/jobs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': submission.key },
        body: JSON.stringify(submission.body),
      });
      const { id } = JSON.parse(await response.text());
      expect(response.status).toBe(202);
      submission.id = id;
      if (left.length % CANCEL_EVERY === 0) {
        await fetch(`${address}/v1/jobs/${id}`, { method: 'DELETE' });
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: SENDERS }, sender));
  for (const outcome of outcomes) {
    // `fetch` throws this error if the connection is lost. A wrong reply is another error.
    if (outcome.status === 'rejected' && !isConnectionLoss(outcome.reason)) throw outcome.reason;
  }
}

const isConnectionLoss = (reason: unknown) =>
  reason instanceof TypeError || (reason instanceof SyntaxError && reason.message.includes('end'));

async function endOf(address: string, id: string) {
  for (;;) {
    const response = await fetch(`${address}/v1/jobs/${id}?wait_ms=30000`);
    expect(response.status).toBe(200);
    const job = JSON.parse(await response.text());
    if (job.completed !== undefined) return job;
  }
}

describe('a program that is killed while it has jobs', () => {
  it(`loses no accepted job and repeats no call, ${KILLS} times`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const [home, cwd] = [await freshFolder(), await freshFolder()];
    const upstream = await createResponsesUpstream({ imageBytes: 30_000, imageVariants: 4 });
    upstream.setDefaultBehaviour({ behaviour: 'succeed', delayMs: 20 });
    await upstream.writeLogin(home);
    const set = agentSettings(upstream, home);
    const submissions: Submission[] = [];

    for (let round = 0; round < KILLS; round += 1) {
      const bridge = await startBridge({ command: 'serve', cwd, set });
      for (let more = 0; more < JOBS_A_ROUND; more += 1)
        submissions.push(await newSubmission(submissions.length));
      const sending = sendAll(bridge.address, submissions);
      await delay(randomInt(LONGEST_LIFE_MS));
      await bridge.end('SIGKILL');
      await sending;
    }
    const bridge = await startBridge({ command: 'serve', cwd, set });
    await sendAll(bridge.address, submissions);
    const jobs = [];
    for (const { id } of submissions) jobs.push(await endOf(bridge.address, id ?? ''));
    const { code } = await bridge.end();

    expect(code).toBe(0);
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(submissions.length);
    const calls = new Map<string, number>();
    for (const { body } of upstream.calls) {
      const prompt = /job-\d+-of-many/.exec(body?.toString() ?? '')?.[0] ?? '';
      calls.set(prompt, (calls.get(prompt) ?? 0) + 1);
    }
    const counts = { succeeded: 0, cancelled: 0, interrupted: 0 };
    for (const [nth, { prompt }] of submissions.entries()) {
      const job = jobs[nth];
      expect(job.request.prompt).toBe(prompt);
      expect(Object.keys(counts)).toContain(job.status);
      counts[job.status as keyof typeof counts] += 1;
      const made = calls.get(prompt) ?? 0;
      if (job.status === 'succeeded') expect(made).toBe(1);
      else expect(made).toBeLessThanOrEqual(1);
      if (job.status === 'interrupted') {
        const details = { outcome: 'unknown', reason: 'interrupted' };
        expect(job.error).toMatchObject({ code: 'cancelled', retryable: false, details });
      }
    }
    expect(calls.size).toBeLessThanOrEqual(submissions.length);
    const rows = await stateOf(cwd).query('SELECT id, name, state FROM artifact');
    const files = await stateOf(cwd).listArtifacts();
    expect(rows.filter(({ state }) => state !== 'published')).toEqual([]);
    expect(files.toSorted()).toEqual(rows.map(({ name }) => name).sort());
    const results = jobs.flatMap((job) => (job.result ?? job.partial_result)?.data ?? []);
    expect(results.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());
    const sent = jobs.flatMap(({ request }) =>
      request.images.map((image: { sha256: string }) => image.sha256),
    );
    expect((await storedInputs({ cwd })).sort()).toEqual([...new Set(sent)].sort());
    for (const command of CHECKS) {
      expect(await runProgram(command, cwd)).toMatchObject({ code: 0 });
    }
    console.info(`kills: ${KILLS}, jobs: ${submissions.length}`, counts);
    await upstream.close();
  });
});
