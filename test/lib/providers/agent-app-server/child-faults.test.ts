import { afterEach, describe, expect, it } from 'vitest';
import { agentRequest } from '../agent-responses/requests.ts';
import { type ChildRig, isRunning, openChildRig, paramsOf, run } from './child-rig.ts';

const rigs: ChildRig[] = [];

async function rigOf(options: Parameters<typeof openChildRig>[0] = {}): Promise<ChildRig> {
  const rig = await openChildRig(options);
  rigs.push(rig);
  return rig;
}

afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

const faulty = (fault: string) => agentRequest({ prompt: `A fox ${fault}` });

/**
 * Runs a request once the end of the child has been noticed, and checks that the previous request left nothing behind.
 */
async function expectToWork(rig: ChildRig): Promise<void> {
  await expect.poll(() => run(rig, agentRequest()).failure).toBeUndefined();
  await expect.poll(() => rig.leftovers()).toEqual([]);
}

describe('a child that fails before the turn was sent', () => {
  it.each([
    ['ends at the start of a thread', '--exit-at=thread/start', {}],
    ['ends at the handshake', '--exit-at=initialize', {}],
    ['ends while it gets the login', '--exit-at=account/login/start', {}],
    ['does not respond to the handshake', '--silent-at=initialize', {}],
    ['does not respond to the start of a thread', '--silent-at=thread/start', {}],
  ])('causes a retryable failure of known outcome: it %s', async (_name, arg) => {
    const rig = await rigOf({
      args: [arg],
      set: ['providers.agent_app_server.rpc_timeout_ms=2000'],
    });

    const { failure, events } = run(rig, agentRequest());

    expect(await failure).toMatchObject({ code: 'upstream', retryable: true, details: {} });
    expect(((await failure) as { details: object }).details).not.toHaveProperty('outcome');
    expect(events).toEqual([]);
  });

  it.each(['none', 'apiKey'])(
    'receives no request for images with the account %s',
    async (account) => {
      const rig = await rigOf({ args: [`--account=${account}`] });

      expect(await run(rig, agentRequest()).failure).toMatchObject({
        code: 'provider_authentication',
      });
      expect(await paramsOf(rig, 'turn/start')).toEqual([]);
    },
  );

  it('rejects a turn with a failure of known outcome', async () => {
    const rig = await rigOf();

    const { failure } = run(rig, faulty('[[refuse]]'));

    expect(await failure).toMatchObject({ code: 'upstream', retryable: false, details: {} });
    await expectToWork(rig);
  });
});

describe('a child that writes lines that are not messages', () => {
  it('works and has the lines counted', async () => {
    const rig = await rigOf({ args: ['--greets'] });

    const { outputs } = await run(rig, faulty('[[noise]]')).result;

    expect(outputs).toHaveLength(1);
    // The greeting and two lines in the middle of the turn.
    expect(rig.provider.skippedLines?.()).toBe(3);
    expect(rig.provider.restarts?.()).toBe(0);
  });
});

describe('a child that is lost in the middle of a turn', () => {
  it.each([
    ['upstream', '[[crash-at-start]]'],
    ['upstream', '[[crash=reply]]'],
    ['upstream', '[[crash=started]]'],
    ['upstream', '[[crash=item-started]]'],
    ['upstream', '[[half-line]]'],
    ['protocol', '[[garbage]]'],
    ['protocol', '[[big=3000000]]'],
    ['upstream', '[[no-reply]]'],
  ])('causes a failure (%s) of unknown outcome that is not repeated: %s', async (code, fault) => {
    const rig = await rigOf({
      set: [
        'providers.agent_app_server.rpc_timeout_ms=2000',
        'providers.agent_app_server.rpc_max_message_bytes=2000000',
      ],
    });

    const { failure, events } = run(rig, faulty(fault));

    expect(await failure).toMatchObject({
      code,
      retryable: false,
      transient: false,
      details: { outcome: 'unknown' },
    });
    expect(events[0]).toMatchObject({ type: 'progress', stage: 'dispatched' });
    expect(await paramsOf(rig, 'turn/start')).toHaveLength(1);
    await expectToWork(rig);
  });

  it('has its image delivered if the image was complete', async () => {
    const rig = await rigOf();

    const { outputs } = await run(rig, faulty('[[crash=item-completed]]')).result;

    expect(outputs[0]?.bytes.subarray(1, 4).toString()).toBe('PNG');
    await expectToWork(rig);
  });

  it('does not harm a request that waits for the next child', async () => {
    const rig = await rigOf({ set: ['providers.agent_app_server.restart_backoff_ms=300'] });
    await run(rig, faulty('[[crash=started]]')).failure;

    const { outputs } = await run(rig, agentRequest()).result;

    expect(outputs).toHaveLength(1);
    expect(rig.provider.restarts?.()).toBe(1);
  });

  it('leaves threads that the next child deletes', async () => {
    const rig = await rigOf();
    await run(rig, faulty('[[crash=started]]')).failure;
    const [{ threadId }] = await paramsOf(rig, 'turn/start');
    expect(await rig.leftovers()).toContain(`threads/${threadId}`);

    await expectToWork(rig);

    expect(await paramsOf(rig, 'thread/delete')).toContainEqual({ threadId });
  });

  it('is killed together with all processes that it has started', async () => {
    const rig = await rigOf({ args: ['--grandchild'] });
    await run(rig, faulty('[[crash=started]]')).failure;

    const [child] = await rig.children();

    expect(child?.grandchild).toBeGreaterThan(0);
    await expect.poll(() => isRunning(child?.grandchild ?? 0)).toBe(false);
  });
});

describe('a child with odd output', () => {
  it.each([
    ['a message of 60 MB', '[[big=60000000]]'],
    ['two hundred thousand notifications', '[[flood=200000]]'],
    ['unknown requests, with ids from 0', '[[ask]]'],
    ['a request for fresh tokens', '[[refresh]]'],
    ['the end of the turn before its image', '[[early-end]]'],
  ])('is understood: %s', async (_name, fault) => {
    const rig = await rigOf();

    const { outputs } = await run(rig, faulty(fault)).result;

    expect(outputs[0]?.bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(await rig.children()).toHaveLength(1);
  });

  it('receives other tokens than the rejected ones', async () => {
    const rig = await rigOf();

    await run(rig, faulty('[[refresh]]')).result;

    const [login] = await paramsOf(rig, 'account/login/start');
    const [child] = await rig.children();
    const reply = child?.received.find(({ result }) => result !== undefined);
    expect(login).toMatchObject({ type: 'chatgptAuthTokens', chatgptPlanType: 'pro' });
    expect(reply).toMatchObject({ id: 0, result: { chatgptAccountId: login.chatgptAccountId } });
    expect(reply.result.accessToken).not.toBe(login.accessToken);
    expect(rig.upstream.counters()).toMatchObject({ refreshes: 1 });
  });

  it('has only its first image returned if it makes two', async () => {
    const rig = await rigOf();
    const first = await run(rig, faulty('[[same]]')).result;

    const both = await run(rig, faulty('[[same]] [[images=2]]')).result;

    expect(both.outputs).toHaveLength(1);
    expect(both.outputs[0]?.bytes.equals(first.outputs[0]?.bytes ?? Buffer.alloc(0))).toBe(true);
  });

  it.each([
    ['no image', '[[no-image]]', { code: 'upstream', retryable: false }],
    ['an image that is not base64', '[[no-base64]]', { code: 'protocol' }],
    [
      'a failed image',
      '[[failed-image=image generation failed: http 400 Bad Request: Some("{\\"error\\":{\\"code\\":\\"moderation_blocked\\"}}")]]',
      { code: 'safety_rejected' },
    ],
    [
      'a failed model call',
      '[[turn-failed={"message":"m","codexErrorInfo":"usageLimitExceeded"}]]',
      { code: 'rate_limited' },
    ],
  ])('fails with the known facts of the turn: %s', async (_name, fault, expected) => {
    const rig = await rigOf();

    const failure = await run(rig, faulty(fault)).failure;

    expect(failure).toMatchObject(expected);
    expect(failure).not.toHaveProperty('details.outcome');
    await expectToWork(rig);
  });

  it('has an unknown outcome if its turn fails while the image is drawn', async () => {
    const rig = await rigOf();

    const failure = await run(rig, faulty('[[fails-while-drawing]]')).failure;

    expect(failure).toMatchObject({
      code: 'upstream',
      retryable: false,
      details: { outcome: 'unknown' },
    });
    await expectToWork(rig);
  });
});

describe('an aborted call', () => {
  it.each([
    ['while its image is made', '[[hang]]'],
    ['before its turn has begun', '[[late-start=200]] [[hang]]'],
  ])('interrupts its turn %s, regardless of the id', async (_name, fault) => {
    const rig = await rigOf();
    const controller = new AbortController();
    const reason = new Error('given up');
    const { failure } = run(rig, faulty(fault), controller.signal);
    await expect.poll(() => paramsOf(rig, 'turn/start')).toHaveLength(1);

    controller.abort(reason);

    expect(await failure).toBe(reason);
    const [{ threadId }] = await paramsOf(rig, 'turn/start');
    expect(await paramsOf(rig, 'turn/interrupt')).toContainEqual({ threadId, turnId: '' });
    await expectToWork(rig);
    expect(await rig.children()).toHaveLength(1);
  });

  it('replaces a child that does not respond', async () => {
    const rig = await rigOf({ set: ['providers.agent_app_server.rpc_timeout_ms=3000'] });
    const controller = new AbortController();
    const { failure } = run(rig, faulty('[[deaf]]'), controller.signal);
    await expect.poll(() => paramsOf(rig, 'turn/start')).toHaveLength(1);

    controller.abort(new Error('given up'));

    await failure;
    await expectToWork(rig);
    expect(await rig.children()).toHaveLength(2);
  });

  it('interrupts the turn as soon as there is an image, which saves a model call', async () => {
    const rig = await rigOf();

    const { outputs } = await run(rig, faulty('[[slow-end]]')).result;

    expect(outputs).toHaveLength(1);
    await expect.poll(() => rig.leftovers()).toEqual([]);
    expect(await paramsOf(rig, 'turn/interrupt')).toHaveLength(1);
  });
});

describe('closing', () => {
  it('ends a child that ignores the end of its input and SIGTERM', async () => {
    const rig = await rigOf({
      args: ['--never-exits', '--grandchild'],
      set: ['providers.agent_app_server.shutdown_timeout_ms=200'],
    });
    const { failure } = run(rig, faulty('[[hang]]'));
    await expect.poll(() => paramsOf(rig, 'turn/start')).toHaveLength(1);
    const [child] = await rig.children();

    await rig.provider.close();

    expect(await failure).toMatchObject({ code: 'cancelled' });
    expect(await isRunning(child?.pid ?? 0)).toBe(false);
    await expect.poll(() => isRunning(child?.grandchild ?? 0)).toBe(false);
  });

  it('ends a start that is in progress', async () => {
    const rig = await rigOf({ args: ['--silent-at=initialize'] });
    const { failure } = run(rig, agentRequest());
    await expect.poll(() => paramsOf(rig, 'initialize')).toHaveLength(1);
    const [child] = await rig.children();

    await rig.provider.close();

    expect(await failure).toMatchObject({ code: 'cancelled' });
    expect(await isRunning(child?.pid ?? 0)).toBe(false);
  });
});
