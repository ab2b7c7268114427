import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentRequest, inputOf, type RequestParts } from '../agent-responses/requests.ts';
import { type ChildRig, openChildRig, paramsOf, run } from './child-rig.ts';

let rig: ChildRig;
const { signal } = new AbortController();

beforeEach(async () => {
  rig = await openChildRig({ set: ['providers.agent_app_server.rpc_timeout_ms=3000'] });
});
afterEach(() => rig.close());

function sessions() {
  const { sessions: found } = rig.provider;
  if (!found) throw new Error('the provider has no sessions');
  return found;
}

const createThread = () =>
  sessions().createThread({ model: 'gpt-image-2', requestId: 'r' }, signal);

const turnOn = (threadId: string, prompt = 'A fox', parts: RequestParts = {}) =>
  agentRequest({ ...parts, threadId, prompt });

/** Ends the child as a crash does. */
const crashChild = () => run(rig, agentRequest({ prompt: 'A fox [[crash=started]]' })).failure;

describe('turns on a persistent thread', () => {
  it('run to their end on the same thread without resuming or deleting it', async () => {
    const threadId = await createThread();

    const first = await run(rig, turnOn(threadId)).result;
    const second = await run(rig, turnOn(threadId, 'Redder')).result;

    expect([first.outputs, second.outputs].map(({ length }) => length)).toEqual([1, 1]);
    const turns = await paramsOf(rig, 'turn/start');
    expect(turns.map((turn) => turn.threadId)).toEqual([threadId, threadId]);
    for (const method of ['thread/resume', 'thread/delete', 'turn/interrupt']) {
      expect(await paramsOf(rig, method)).toEqual([]);
    }
  });

  it('continue after a restart of the child with the same restrictions', async () => {
    const threadId = await createThread();
    await run(rig, turnOn(threadId)).result;
    await crashChild();

    await run(rig, turnOn(threadId)).result;
    await run(rig, turnOn(threadId)).result;

    expect(await paramsOf(rig, 'thread/resume')).toEqual([
      expect.objectContaining({
        threadId,
        approvalPolicy: 'never',
        sandbox: 'read-only',
        excludeTurns: true,
      }),
    ]);
  });

  it('continue after a restart of the bridge', async () => {
    const threadId = await createThread();
    await run(rig, turnOn(threadId)).result;
    await rig.close({ keepsFolder: true });
    rig = await openChildRig({ folder: rig.root });

    const { outputs } = await run(rig, turnOn(threadId)).result;

    expect(outputs).toHaveLength(1);
  });

  it('resume a thread that the agent has unloaded', async () => {
    const threadId = await createThread();
    await run(rig, turnOn(threadId, 'A fox [[unload]]')).result;

    const { outputs } = await run(rig, turnOn(threadId)).result;

    expect(outputs).toHaveLength(1);
    expect(await paramsOf(rig, 'thread/resume')).toHaveLength(1);
  });

  it('deliver an image although the agent fails after it', async () => {
    const threadId = await createThread();

    const { outputs } = await run(rig, turnOn(threadId, 'A fox [[fails-after-image]]')).result;

    expect(outputs).toHaveLength(1);
  });

  it('deliver an image although the child ends after it', async () => {
    const threadId = await createThread();

    const { outputs } = await run(rig, turnOn(threadId, 'A fox [[crash=item-completed]]')).result;

    expect(outputs).toHaveLength(1);
  });

  it('are rejected before dispatch for a thread that the agent does not have', async () => {
    const { failure, events } = run(rig, turnOn('019a0000-0000-7000-8000-000000000000'));

    expect(await failure).toMatchObject({ code: 'session_not_found' });
    expect(events).toEqual([]);
    expect(await paramsOf(rig, 'turn/start')).toEqual([]);
  });

  it('are rejected for a thread without turns after its child has ended', async () => {
    const threadId = await createThread();
    await crashChild();

    expect(await run(rig, turnOn(threadId)).failure).toMatchObject({ code: 'session_not_found' });
  });

  it('never run at the same time because the agent would mix them', async () => {
    const threadId = await createThread();
    const controller = new AbortController();
    const first = run(rig, turnOn(threadId, 'A fox [[hang]]'), controller.signal);
    await expect.poll(() => paramsOf(rig, 'turn/start')).toHaveLength(1);

    const { failure, events } = run(rig, turnOn(threadId));

    expect(await failure).toMatchObject({ code: 'session_busy' });
    expect(events).toEqual([]);
    controller.abort(new Error('given up'));
    await first.failure;
    expect((await run(rig, turnOn(threadId)).result).outputs).toHaveLength(1);
  });

  it('succeed although the end of an interrupted turn is reported late', async () => {
    const threadId = await createThread();
    const controller = new AbortController();
    const first = run(rig, turnOn(threadId, 'A fox [[hang]] [[late-end]]'), controller.signal);
    await expect.poll(() => paramsOf(rig, 'turn/start')).toHaveLength(1);
    controller.abort(new Error('given up'));
    await first.failure;

    expect((await run(rig, turnOn(threadId)).result).outputs).toHaveLength(1);
  });

  it('are rejected after a turn that could not be ended until the child is replaced', async () => {
    const threadId = await createThread();
    const controller = new AbortController();
    const first = run(rig, turnOn(threadId, 'A fox [[stubborn]]'), controller.signal);
    await expect.poll(() => paramsOf(rig, 'turn/start')).toHaveLength(1);
    controller.abort(new Error('given up'));
    await first.failure;

    expect(await run(rig, turnOn(threadId)).failure).toMatchObject({ code: 'session_busy' });
    await expect(sessions().deleteThread(threadId, signal)).rejects.toMatchObject({
      code: 'session_busy',
    });

    await crashChild();
    expect((await run(rig, turnOn(threadId)).result).outputs).toHaveLength(1);
  });

  it('leave no input files behind', async () => {
    const threadId = await createThread();

    await run(rig, turnOn(threadId, 'Redder', { images: [inputOf(Buffer.from('an image'))] }))
      .result;

    expect(await rig.leftovers()).not.toContainEqual(expect.stringMatching(/^inputs/));
  });
});

describe('deleteThread', () => {
  it('deletes the thread with its images', async () => {
    const threadId = await createThread();
    await run(rig, turnOn(threadId)).result;

    await sessions().deleteThread(threadId, signal);

    expect(await rig.leftovers()).toEqual([]);
    expect(await run(rig, turnOn(threadId)).failure).toMatchObject({ code: 'session_not_found' });
  });

  it.each([
    ['that has had no turn', createThread],
    ['that never was', async () => '019a0000-0000-7000-8000-000000000000'],
  ])('succeeds for a thread %s', async (_name, threadOf) => {
    const threadId = await threadOf();

    await expect(sessions().deleteThread(threadId, signal)).resolves.toBeUndefined();
  });

  it('is rejected while a turn runs', async () => {
    const threadId = await createThread();
    const controller = new AbortController();
    const { failure } = run(rig, turnOn(threadId, 'A fox [[hang]]'), controller.signal);
    await expect.poll(() => paramsOf(rig, 'turn/start')).toHaveLength(1);

    await expect(sessions().deleteThread(threadId, signal)).rejects.toMatchObject({
      code: 'session_busy',
    });

    controller.abort(new Error('given up'));
    await failure;
  });
});
