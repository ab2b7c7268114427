import { describe, expect, it } from 'vitest';
import type { ImageJob } from '../../../lib/contract/resources/job.ts';
import { ApiFailure, type BridgeApi } from '../../../lib/mcp/bridge-api.ts';
import { runJob, waitForJob } from '../../../lib/mcp/run-job.ts';
import type { ToolContext } from '../../../lib/mcp/tool.ts';
import { abortable } from '../../../lib/platform/abortable.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const job = (status: ImageJob['status']) => ({ id: 'job', status }) as ImageJob;

/** A bridge with one job and these events. */
function bridgeOf(events: (signal: AbortSignal) => AsyncIterable<unknown>) {
  const called: string[] = [];
  const clock = createManualClock();
  const controller = new AbortController();
  const api = {
    async json(operation: string) {
      called.push(operation);
      return job('running');
    },
    events: (_operation: string, { signal }: { signal: AbortSignal }) => events(signal),
  } as unknown as BridgeApi;
  const images = () => Promise.reject(new Error('no preview is made'));
  const { signal } = controller;
  const context: ToolContext = { api, clock, images, signal, progress: () => {} };
  return { called, clock, controller, context };
}

async function* untilAborted(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

async function* ending() {
  yield { type: 'ended', job: job('succeeded') };
}

describe('waitForJob', () => {
  it('resolves with the ended job', async () => {
    const { context } = bridgeOf(ending);

    expect(await waitForJob(job('running'), 45, context)).toEqual(job('succeeded'));
  });

  it('resolves with the current state of the job when the time is over', async () => {
    const { context, clock, called } = bridgeOf(untilAborted);

    const waiting = waitForJob(job('queued'), 45, context);
    clock.advance(45_000);

    expect(await waiting).toEqual(job('running'));
    expect(called).toEqual(['GET /v1/jobs/{id}']);
  });

  it('does not wait for a job that has ended', async () => {
    const { context } = bridgeOf(untilAborted);

    expect(await waitForJob(job('failed'), 45, context)).toEqual(job('failed'));
  });
});

describe('runJob', () => {
  it('resolves with the job if its events cannot be followed', async () => {
    const { context, called } = bridgeOf(async function* () {
      yield { type: 'snapshot', job: job('queued') };
      throw new ApiFailure('rate_limited', 'too many streams are open');
    });

    expect(await runJob({}, context)).toEqual(job('running'));
    expect(called).toEqual(['POST /v1/jobs', 'GET /v1/jobs/{id}']);
  });

  it('resolves with the last known state of the job if the bridge does not reply', async () => {
    const unreachable = new ApiFailure('unreachable', 'no service can be reached');
    const { context } = bridgeOf(async function* () {
      yield { type: 'snapshot', job: job('queued') };
      throw unreachable;
    });
    const api = {
      ...context.api,
      json: async (operation: string) => {
        if (operation === 'POST /v1/jobs') return job('running');
        throw unreachable;
      },
    } as unknown as BridgeApi;

    expect(await runJob({}, { ...context, api })).toEqual(job('queued'));
  });

  it('leaves the job running when its connection ends', async () => {
    const { context, controller, called } = bridgeOf(untilAborted);
    const reason = new Error('the session has ended');

    const running = runJob({}, { ...context, keepsJobs: () => true });
    await expect.poll(() => called).toEqual(['POST /v1/jobs']);
    controller.abort(reason);

    await expect(running).rejects.toBe(reason);
    expect(called).toEqual(['POST /v1/jobs']);
  });

  it('cancels the job when its call is cancelled', async () => {
    const { context, controller, called } = bridgeOf(untilAborted);
    const reason = new Error('cancelled by the client');

    const running = runJob({}, context);
    await expect.poll(() => called).toEqual(['POST /v1/jobs']);
    controller.abort(reason);

    await expect(running).rejects.toBe(reason);
    expect(called).toEqual(['POST /v1/jobs', 'DELETE /v1/jobs/{id}']);
  });

  it('cancels the job of a call that is cancelled before the bridge has replied', async () => {
    const { context, controller, called } = bridgeOf(untilAborted);
    const { api, finish } = slowly(context.api);
    const reason = new Error('cancelled by the client');

    const running = runJob({}, { ...context, api });
    controller.abort(reason);
    finish();

    await expect(running).rejects.toBe(reason);
    expect(called).toEqual(['POST /v1/jobs', 'DELETE /v1/jobs/{id}']);
  });

  it('ends a cancelled call whose bridge does not reply', async () => {
    const { context, controller, clock, called } = bridgeOf(untilAborted);
    const { api } = slowly(context.api);
    const reason = new Error('cancelled by the client');

    const running = runJob({}, { ...context, api });
    const ended = expect(running).rejects.toBe(reason);
    controller.abort(reason);
    await clock.advance(10_000);

    await ended;
    expect(called).toEqual([]);
  });
});

/** Returns an API that creates no job before `finish` is called. Its requests reject on abort. */
function slowly(api: BridgeApi) {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const json: BridgeApi['json'] = async (operation, request) => {
    if (operation === 'POST /v1/jobs') await abortable(finished, request.signal);
    return api.json(operation, request);
  };
  return { api: { ...api, json }, finish };
}
