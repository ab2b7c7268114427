import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import type { AgentChild } from '../../../../lib/providers/agent-app-server/agent-child.ts';
import { createSupervisor } from '../../../../lib/providers/agent-app-server/supervisor.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

const { signal } = new AbortController();

/**
 * Creates a supervisor whose starts succeed unless `fails` returns true, and records the children that it has started.
 */
function rigOf({ fails = () => false }: { readonly fails?: (start: number) => boolean } = {}) {
  const clock = createManualClock();
  const children: { end(): void; readonly stops: () => number }[] = [];
  let starts = 0;
  const supervisor = createSupervisor({
    clock,
    backoffMs: 250,
    async start() {
      starts += 1;
      if (fails(starts)) throw new BridgeError('upstream', 'the agent has ended');
      let isEnded = false;
      let stops = 0;
      const { promise, resolve } = Promise.withResolvers<BridgeError>();
      const end = () => {
        isEnded = true;
        resolve(new BridgeError('upstream', 'the agent has ended'));
      };
      children.push({ end, stops: () => stops });
      const child: Partial<AgentChild> = {
        hasEnded: () => isEnded,
        ended: promise,
        async stop() {
          stops += 1;
          end();
        },
      };
      // The supervisor uses no other members.
      return child as AgentChild;
    },
  });
  return { clock, children, supervisor, starts: () => starts };
}

describe('createSupervisor', () => {
  it('starts one child for all simultaneous callers', async () => {
    const { supervisor, starts } = rigOf();

    const [one, other] = await Promise.all([supervisor.child(signal), supervisor.child(signal)]);

    expect(one).toBe(other);
    expect(starts()).toBe(1);
    expect(supervisor.restarts()).toBe(0);
  });

  it('starts a new child only when it is needed', async () => {
    const { supervisor, children, clock, starts } = rigOf();
    await supervisor.child(signal);

    children[0]?.end();
    await clock.advance(60_000);

    expect(starts()).toBe(1);
    expect(supervisor.running()).toBeUndefined();
  });

  it('doubles the delay after each crash up to 30 s', async () => {
    const { supervisor, children, clock, starts } = rigOf();
    await supervisor.child(signal);

    for (const waitMs of [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      children.at(-1)?.end();
      await clock.advance(0);
      const next = supervisor.child(signal);
      const before = starts();
      await clock.advance(waitMs - 1);
      expect(starts()).toBe(before);
      await clock.advance(1);
      await next;
      expect(starts()).toBe(before + 1);
    }
    expect(supervisor.restarts()).toBe(9);
  });

  it('resets the delay after a successful turn', async () => {
    const { supervisor, children, clock } = rigOf();
    await supervisor.child(signal);
    children[0]?.end();
    const second = supervisor.child(signal);
    await clock.advance(250);
    await second;

    supervisor.noteSuccess();
    children[1]?.end();
    await clock.advance(0);
    const third = supervisor.child(signal);
    await clock.advance(250);

    expect(await third).toBe(supervisor.running());
  });

  it('also waits after a failed start and reports its failure', async () => {
    const { supervisor, clock, starts } = rigOf({ fails: (start) => start === 1 });
    await expect(supervisor.child(signal)).rejects.toMatchObject({ code: 'upstream' });

    const second = supervisor.child(signal);
    await clock.advance(249);
    expect(starts()).toBe(1);
    await clock.advance(1);

    expect(await second).toBe(supervisor.running());
  });

  it('ends the wait of an aborted caller but not the start', async () => {
    const { supervisor, children, clock, starts } = rigOf();
    await supervisor.child(signal);
    children[0]?.end();
    await clock.advance(0);
    const controller = new AbortController();
    const reason = new Error('given up');
    const given = supervisor.child(controller.signal);

    controller.abort(reason);

    await expect(given).rejects.toBe(reason);
    await clock.advance(250);
    expect(starts()).toBe(2);
  });

  it('ends the child when it is closed and starts no further child', async () => {
    const { supervisor, children, starts } = rigOf();
    await supervisor.child(signal);

    await supervisor.close();

    expect(children[0]?.stops()).toBeGreaterThan(0);
    await expect(supervisor.child(signal)).rejects.toMatchObject({ code: 'cancelled' });
    expect(starts()).toBe(1);
  });

  it('ends the wait for a restart when it is closed', async () => {
    const { supervisor, children, clock } = rigOf();
    await supervisor.child(signal);
    children[0]?.end();
    await clock.advance(0);
    const waiting = supervisor.child(signal);
    const ended = expect(waiting).rejects.toMatchObject({ code: 'cancelled' });

    await supervisor.close();

    await ended;
  });
});
