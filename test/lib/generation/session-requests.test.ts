import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { replyWith, type Script } from '../../support/scripted-provider.ts';
import { anything, appServer } from './capability-documents.ts';
import { type GenerationRig, openGenerationRig } from './generation-rig.ts';
import { image } from './images.ts';
import { requestOf } from './requests.ts';

const SESSION = { mode: 'persistent', key: 'storyboard' };

let png: Buffer;
let rig: GenerationRig;

beforeAll(async () => {
  png = await image({});
});
afterEach(() => rig.close());

async function open(script: Partial<Script> = {}, capabilities = appServer) {
  rig = await openGenerationRig({ threads: new Set(), ...script }, capabilities);
}
const run = (sent: object) => rig.run(requestOf(sent)).result;
const reply: Script['reply'] = (call) => replyWith(png)(call);

describe('createGeneration, with sessions', () => {
  it('reports no session of an isolated request, and passes no thread to the provider', async () => {
    await open({ reply });

    const { response } = await run({});

    expect(response).not.toHaveProperty('session');
    expect(rig.provider.calls[0]?.request).not.toHaveProperty('threadId');
  });

  it('runs requests of one key on one thread, and reports the thread', async () => {
    await open({ reply });

    const first = await run({ session: SESSION });
    const second = await run({ session: SESSION });

    const threadIds = rig.provider.calls.map(({ request }) => request.threadId);
    expect(threadIds[0]).toBeDefined();
    expect(threadIds[1]).toBe(threadIds[0]);
    const session = { key: 'storyboard', thread_id: threadIds[0] };
    expect(first.response.session).toEqual({ ...session, reused: false });
    expect(second.response.session).toEqual({ ...session, reused: true });
  });

  it('runs a request on the thread that it names', async () => {
    await open({ reply });
    const { response } = await run({ session: SESSION });
    const thread_id = response.session?.thread_id;

    const second = await run({ session: { mode: 'thread', thread_id } });

    expect(rig.provider.calls[1]?.request.threadId).toBe(thread_id);
    expect(second.response.session).toEqual({ thread_id, reused: true });
  });

  it('refuses an unknown thread before the work starts and before images are loaded', async () => {
    await open({ reply });

    const running = rig.run(
      requestOf({
        operation: 'edit',
        images: [{ type: 'base64', data: 'AAAA' }],
        session: { mode: 'thread', thread_id: 'unknown' },
      }),
    );

    await expect(running.started).rejects.toMatchObject({ code: 'session_not_found' });
    expect(rig.provider.calls).toEqual([]);
  });

  it('refuses an unknown thread when a job is planned', async () => {
    await open({ reply });
    const request = requestOf({ session: { mode: 'thread', thread_id: 'unknown' } });

    const planned = rig.generation.plan(request, rig.newContext());

    await expect(planned).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it.each(['persistent', 'thread'] as const)(
    'refuses a %s session for a model without sessions',
    async (mode) => {
      await open({ reply }, anything);
      const named = mode === 'thread' ? { thread_id: 'a' } : { key: 'a' };

      await expect(run({ session: { mode, ...named } })).rejects.toMatchObject({
        code: 'unsupported_capability',
        param: 'session.mode',
      });
    },
  );

  it('runs the outputs of one request one after the other, before those of the next', async () => {
    await open();
    const first = run({ session: SESSION, parameters: { n: 2 } });
    await rig.provider.call(0);
    const second = run({ session: SESSION });
    for (const nth of [0, 1, 2]) {
      const call = await rig.provider.call(nth);
      expect(rig.provider.calls).toHaveLength(nth + 1);
      replyWith(png)(call);
    }

    expect((await first).response.session?.reused).toBe(false);
    expect((await second).response.session?.reused).toBe(true);
    const indices = rig.provider.calls.map(({ request }) => request.indices);
    expect(indices).toEqual([[0], [1], [0]]);
  });

  it('ends a request that waits for its session at its deadline, without a call', async () => {
    await open();
    const first = run({ session: SESSION });
    const call = await rig.provider.call(0);
    const second = rig.run(requestOf({ session: SESSION, timeout_ms: 1000 }));
    await second.started;

    await rig.clock.advance(1000);

    await expect(second.result).rejects.toMatchObject({
      code: 'timeout',
      retryable: true,
      details: { provider_stopped: true },
    });
    replyWith(png)(call);
    await first;
    expect(rig.provider.calls).toHaveLength(1);
  });

  it('counts the wait for a session as queue time', async () => {
    await open();
    const first = run({ session: SESSION });
    const call = await rig.provider.call(0);
    const second = rig.run(requestOf({ session: SESSION }));
    await second.started;
    await rig.clock.advance(500);
    replyWith(png)(call);
    await first;
    replyWith(png)(await rig.provider.call(1));

    const { timings } = (await second.result).response;

    expect(timings).toMatchObject({ queue_ms: 500, provider_ms: 0 });
  });

  it('forgets a session whose thread is lost, and creates a new thread for the next request', async () => {
    const threads = new Set<string>();
    await open({ reply, threads });
    await run({ session: SESSION });
    threads.clear();

    await expect(run({ session: SESSION })).rejects.toMatchObject({ code: 'session_not_found' });
    const { response } = await run({ session: SESSION });

    expect(response.session?.reused).toBe(false);
  });

  it('writes the session into the record of the image', async () => {
    await open({ reply });

    await run({
      session: SESSION,
      output: { response_format: 'artifact', metadata: 'sidecar' },
    });

    const files = await rig.artifacts.onDisk();
    const sidecar = Object.entries(files).find(([name]) => name.endsWith('.json'));
    expect(JSON.parse(String(sidecar?.[1]))).toMatchObject({
      session: { key: 'storyboard', reused: false },
    });
  });
});
