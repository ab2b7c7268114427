import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { effectOf } from '../../lib/errors/call-effect.ts';
import { interruption } from '../../lib/errors/interruption.ts';
import type { ProviderRequest } from '../../lib/providers/provider-port.ts';
import type { TaskService } from '../../lib/providers/task/task-service.ts';
import type { TaskSettings } from '../../lib/providers/task/task-services.ts';
import { agentRequest, type RequestParts } from '../lib/providers/agent-responses/requests.ts';
import { openTaskRig } from '../support/task-rig.ts';
import type { Behaviour, ReadFault } from '../support/task-upstream/behaviour.ts';
import { FAULTS } from '../support/task-upstream/cuts.ts';
import type { EmulatedService } from '../support/task-upstream/emulated-service.ts';
import { createTaskUpstream, type TaskUpstream } from '../support/task-upstream/task-upstream.ts';
import { describeProvider } from './provider-contract.ts';

interface Tested {
  readonly service: TaskService;
  readonly emulated: EmulatedService;
  /** Settings besides `service`, `base_url` and the models. */
  readonly settings?: Partial<TaskSettings>;
  /** The members of a result that state the charge of a task of `charge` in units of 10^-10 USD. */
  readonly billed: (charge: bigint) => object;
  /** The error of a task that the service reports as failed. */
  readonly failed?: object;
  /** A request that the model refuses although its capabilities allow the request. */
  readonly refused?: RequestParts;
}

const FAILED = { code: 'upstream', retryable: false, effect: 'made' };
const UNKNOWN = { code: 'protocol', details: { outcome: 'unknown' } };
const MADE = { code: 'protocol', effect: 'made' };
/** The polls of 40 seconds. */
const POLLS_OF_OUTAGE = 13;

/** Tests the engine with one service and its strict emulator. No row submits a task twice. */
export function describeTaskService(tested: Tested): void {
  const { service, emulated, settings, billed, failed, refused } = tested;
  describe(`TaskService: ${emulated.name}`, () => {
    let upstream: TaskUpstream;
    let number = 0;

    beforeAll(async () => {
      upstream = await createTaskUpstream({ service: emulated });
    });
    afterAll(() => upstream.close());

    function open(options: { keys?: readonly string[]; key?: () => Promise<string> } = {}) {
      const own = {
        // The cast is safe because the service, and not its name, selects the behaviour.
        service: emulated.name as TaskSettings['service'],
        base_url: upstream.url,
        models: [emulated.model],
        image_model: emulated.model,
        ...settings,
      };
      return openTaskRig({ service, settings: own, ...options });
    }

    describeProvider(`task, ${emulated.name}`, async () => {
      const { provider, close } = open();
      const request = (parts: RequestParts) => agentRequest({ model: emulated.model, ...parts });
      upstream.forPrompt('endless', { waits: Number.POSITIVE_INFINITY });
      upstream.forPrompt('failing', { submission: 'rate_limited' });
      return {
        provider,
        request: (indices) => request({ indices }),
        failing: request({ prompt: 'failing' }),
        endless: request({ prompt: 'endless' }),
        ...(refused ? { refused: request(refused) } : {}),
        close,
      };
    });

    /** A request with a prompt of its own, by which the ledger tells tasks apart. */
    function newRequest(): ProviderRequest {
      number += 1;
      return agentRequest({ model: emulated.model, prompt: `A lighthouse, ${number}` });
    }

    function tasksOf({ prompt }: ProviderRequest) {
      return upstream.ledger().filter((row) => row.prompt === prompt);
    }

    /** Runs one call and checks that the client made no mistake and submitted at most one task. */
    async function outcome(behaviour: Behaviour, request = newRequest()) {
      const rig = open();
      const before = upstream.submitted();
      upstream.next(behaviour);
      const { ended, reported, tickets, billedIds } = rig.run(request);
      const result = await ended;
      await rig.close();
      expect(upstream.violations()).toEqual([]);
      expect(upstream.submitted() - before).toBe(1);
      return { result, reported, tickets, billedIds, tasks: tasksOf(request) };
    }

    function expectImage(result: unknown): void {
      expect(result).toMatchObject({ outputs: [{ bytes: expect.any(Buffer) }] });
    }

    test('a task that has ended at its first poll returns its image', async () => {
      const { result, reported } = await outcome({ waits: 0 });

      expectImage(result);
      expect(reported[0]).toEqual({ type: 'progress', stage: 'dispatched' });
    });

    test('a task that fails after it was charged has the effect `made` and is not repeated', async () => {
      const { result } = await outcome({ end: 'failed' });

      expect(result).toMatchObject(failed ?? FAILED);
    });

    test('a task whose content is rejected is a safety rejection', async () => {
      const { result } = await outcome({ end: 'moderated' });

      expect(result).toMatchObject({ code: 'safety_rejected', transient: false });
    });

    test.each(FAULTS)(
      'a submission that ends with "%s" has an unknown outcome',
      async (submission) => {
        const { result } = await outcome({ submission });

        expect(result).toMatchObject({ ...UNKNOWN, transient: false, retryable: false });
      },
    );

    test.each<[string, readonly ReadFault[]]>([
      ['server errors', ['server_error', 'server_error', 'server_error']],
      ['HTML', ['html_502', 'html_200']],
      ['rate limits', ['rate_limited']],
      ['an outage of 40 seconds', Array.from({ length: POLLS_OF_OUTAGE }, () => 'cut')],
    ])('%s at the polls only delay the image', async (_, reads) => {
      const { result } = await outcome({ reads });

      expectImage(result);
    });

    test('a task with an unknown status is polled on', async () => {
      const { result } = await outcome({ waits: 3, waiting: 'unheard_of' });

      expectImage(result);
    });

    test('a task that never ends is waited for until the deadline', async () => {
      const rig = open();
      const deadline = new BridgeError('timeout', 'the deadline has passed');
      const controller = new AbortController();
      upstream.next({ waits: Number.POSITIVE_INFINITY });
      const { ended, tickets } = rig.run(newRequest(), { signal: controller.signal });
      await expect.poll(() => tickets.length).toBe(1);

      controller.abort(deadline);

      expect(await ended).toBe(deadline);
      await rig.close();
    });

    test('a call that is cancelled before its submission sends nothing', async () => {
      const rig = open();
      const before = upstream.submitted();

      const { ended, reported } = rig.run(newRequest(), { signal: AbortSignal.abort(cancelled()) });

      expect(await ended).toMatchObject({ code: 'cancelled' });
      expect(reported).toEqual([]);
      expect(upstream.submitted()).toBe(before);
      await rig.close();
    });

    test.each(['queued', 'running'] as const)(
      'a task that is cancelled while it is %s is cancelled once at the service',
      async (waiting) => {
        const rig = open();
        const before = upstream.cancels();
        const controller = new AbortController();
        const request = newRequest();
        upstream.next({ waits: Number.POSITIVE_INFINITY, waiting });
        const { ended, tickets } = rig.run(request, { signal: controller.signal });
        await expect.poll(() => tickets.length).toBe(1);

        controller.abort(cancelled());
        const error = (await ended) as BridgeError;

        expect(error.code).toBe('cancelled');
        expect(upstream.cancels() - before).toBe(emulated.cancel ? 1 : 0);
        const [task] = tasksOf(request);
        const isFree = effectOf(error) === 'not_begun';
        // Only a task of which the service says that it did not begin is reported as free.
        expect(isFree).toBe(emulated.cancel?.statesNotBegun === true && task?.phase === 'aborted');
        await rig.close();
      },
    );

    test('a cancellation after the end of a call changes nothing', async () => {
      const rig = open();
      const before = upstream.cancels();
      const controller = new AbortController();
      upstream.next({ waits: 0 });
      const { result } = rig.run(newRequest(), { signal: controller.signal });
      expectImage(await result);

      controller.abort(cancelled());
      await rig.close();

      expect(upstream.cancels()).toBe(before);
    });

    test('a poll URL at another host is not requested', async () => {
      const { result, tasks } = await outcome({ isPollForeign: true });

      expect(result).toMatchObject(UNKNOWN);
      expect(tasks).toHaveLength(1);
    });

    test.each(['foreign', 'private', 'redirected_out', 'expired', 'oversize'] as const)(
      'an image that is %s is made but unusable',
      async (image) => {
        const { result } = await outcome({ image });

        expect(result).toMatchObject(MADE);
      },
    );

    test('an image is fetched through redirects within its host', async () => {
      const { result } = await outcome({ image: 'redirected' });

      expectImage(result);
    });

    test('a finished task without an image has an unknown outcome', async () => {
      const { result } = await outcome({ count: 0 });

      expect(result).toMatchObject(UNKNOWN);
    });

    if (!emulated.hasOneImage) {
      test('more images than requested are made but unusable', async () => {
        const { result } = await outcome({ count: 2 });

        expect(result).toMatchObject({ ...MADE, details: { returned_images: 2 } });
      });
    }

    test('a rate limit at the submission has the wait of the service', async () => {
      const { result, tasks } = await outcome({ submission: 'rate_limited' });

      expect(result).toMatchObject({
        code: 'rate_limited',
        transient: true,
        details: { retry_after_ms: 7000 },
      });
      expect(tasks).toEqual([]);
    });

    test('an overload that the service itself reports may be repeated', async () => {
      const { result } = await outcome({ submission: 'server_error' });

      expect(result).toMatchObject({ code: 'upstream', transient: true, retryable: true });
    });

    test('a new key is used for the submission and for the polls', async () => {
      const rig = open({ keys: ['old', 'first', 'second'] });
      const request = newRequest();
      upstream.setKeys('first');
      upstream.next({ reads: ['server_error'] });
      const { ended, tickets } = rig.run(request, {
        accepted: async (ticket) => {
          tickets.push(ticket);
          upstream.setKeys('second');
          return true;
        },
      });

      expectImage(await ended);
      expect(tasksOf(request)).toHaveLength(1);
      upstream.setKeys(upstream.key);
      await rig.close();
    });

    test('a key that is rejected without a new one is an authentication failure', async () => {
      const rig = open({ keys: ['wrong'] });

      const { ended } = rig.run(newRequest());

      expect(await ended).toMatchObject({ code: 'provider_authentication' });
      await rig.close();
    });

    test('a task continues with its ticket in another process', async () => {
      const [first, second] = [open(), open()];
      const cancels = upstream.cancels();
      const request = newRequest();
      const stop = new AbortController();
      upstream.next({ waits: 3 });
      const begun = first.run(request, { signal: stop.signal });
      await expect.poll(() => begun.tickets.length).toBe(1);
      stop.abort(interruption());
      await begun.ended;
      const [ticket = ''] = begun.tickets;

      const { ended, reported } = second.run({ ...request, ticket });

      expectImage(await ended);
      expect(reported[0]).toEqual({ type: 'progress', stage: 'dispatched' });
      expect(tasksOf(request)).toHaveLength(1);
      expect(upstream.cancels()).toBe(cancels);
      expect(Buffer.byteLength(ticket)).toBeLessThanOrEqual(2048);
      await first.close();
      await second.close();
    });

    test('a key that cannot be read between two polls only delays the image', async () => {
      let reads = 0;
      const rig = open({
        async key() {
          reads += 1;
          if (reads !== 2) return upstream.key;
          throw new BridgeError('provider_authentication', 'the key file cannot be read');
        },
      });

      const { ended } = rig.run(newRequest());

      expectImage(await ended);
      expect(reads).toBeGreaterThan(2);
      await rig.close();
    });

    test('each further poll reads the key once', async () => {
      const keyReads = [];
      for (const waits of [2, 4]) {
        let reads = 0;
        const rig = open({
          async key() {
            reads += 1;
            return upstream.key;
          },
        });
        upstream.next({ waits });
        expectImage(await rig.run(newRequest()).ended);
        await rig.close();
        keyReads.push(reads);
      }

      const [few = 0, many] = keyReads;
      expect(many).toBe(few + 2);
    });

    test('a task that the service has lost has an unknown outcome', async () => {
      const { result } = await outcome({ end: 'lost' });

      expect(result).toMatchObject(UNKNOWN);
    });

    test('a model that is gone is unsupported', async () => {
      const { result, tasks } = await outcome({ submission: 'unknown_model' });

      expect(result).toMatchObject({
        code: 'unsupported_capability',
        details: { field: 'routing.model' },
      });
      expect(tasks).toEqual([]);
    });

    test('the reported charge of a task is the charge in the ledger', async () => {
      const { result, billedIds, tasks } = await outcome({});
      const [task] = tasks;

      expect(result).toMatchObject(billed(task?.charge ?? 0n));
      expect(billedIds).toEqual([task?.id]);
    });

    test('the id of a task is known even if its outcome is not', async () => {
      const { result, billedIds, tasks } = await outcome({ end: 'lost' });

      expect(result).toMatchObject(UNKNOWN);
      expect(billedIds).toEqual([tasks[0]?.id]);
    });
  });
}

function cancelled(): BridgeError {
  return new BridgeError('cancelled', 'cancelled by the test');
}
