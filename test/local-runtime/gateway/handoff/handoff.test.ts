import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../../lib/platform/clock.ts';
import type { Slot } from '../../../../local-runtime/gateway/coordination.ts';
import { type HandoffResult, handOff } from '../../../../local-runtime/gateway/handoff/handoff.ts';
import { isFresh, recordPath } from '../../../../local-runtime/gateway/handoff/handoff-record.ts';
import type {
  SlotCheck,
  SlotDriver,
} from '../../../../local-runtime/gateway/handoff/slot-driver.ts';
import { type FakeSlot, startRig, startSlot, stopAll } from '../gateway-rig.ts';

afterEach(stopAll);

/** A clock with which no wait takes time. */
const hurried: Clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() * 1000,
  after: (_delayMs, then) => systemClock.after(0, then),
};

/** A clock that runs fifty times as fast. */
const soon: Clock['after'] = (delayMs, then) => systemClock.after(delayMs / 50, then);

type Rig = Awaited<ReturnType<typeof startRig>>;
type Step = 'start' | 'restart' | 'stop';

/** Slots in this process, on fixed ports, with a log of the calls of their driver. */
async function openSlots() {
  const running: Partial<Record<Slot, FakeSlot>> = { blue: await startSlot('blue') };
  const green = await startSlot('green');
  await green.stop();
  const ports = { blue: running.blue?.port ?? 0, green: green.port };
  const calls: string[] = [];
  /** The replacements of steps by a test. */
  const instead: { [step in `${Step} ${Slot}`]?: () => Promise<unknown> } = {};
  const graces: Partial<Record<Slot, number>> = {};
  const checks: Partial<Record<Slot, SlotCheck>> = {};

  async function run(step: Step, slot: Slot, act: () => Promise<void>): Promise<void> {
    calls.push(`${step} ${slot}`);
    await instead[`${step} ${slot}`]?.();
    await act();
  }
  const start = async (slot: Slot) => {
    running[slot] ??= await startSlot(slot, undefined, ports[slot]);
  };
  const driver: SlotDriver = {
    start: (slot) => run('start', slot, () => start(slot)),
    restart: (slot) => run('restart', slot, () => start(slot)),
    stop: (slot, graceMs) =>
      run('stop', slot, async () => {
        graces[slot] = graceMs;
        await running[slot]?.stop();
        delete running[slot];
      }),
    isRunning: async (slot) => running[slot] !== undefined,
    check: async (slot) => checks[slot],
    logOf: (slot) => `${slot}.log`,
  };
  return { driver, running, calls, instead, graces, checks, blue: running.blue, green };
}

describe('handOff', () => {
  let slots: Awaited<ReturnType<typeof openSlots>>;
  let rig: Rig;
  let ready: Partial<Record<Slot, boolean>>;
  let reports: string[];

  beforeEach(async () => {
    slots = await openSlots();
    rig = await startRig({ ...(slots.blue && { blue: slots.blue }), green: slots.green });
    ready = {};
    reports = [];
  });

  function deps(changes: object = {}) {
    return {
      coordination: rig.coordination,
      driver: slots.driver,
      gatewayState: () => rig.state(),
      touch: async () => {},
      isReady: async (slot: Slot) => ready[slot] ?? true,
      clock: systemClock,
      report: (line: string) => reports.push(line),
      onBegin: () => reports.push('begun'),
      drainMs: 1000,
      readinessMs: 300,
      marginMs: 1000,
      ...changes,
    };
  }
  const run = (wanted?: Slot, changes = {}): Promise<HandoffResult> =>
    handOff(deps(changes), wanted);
  const target = async () => (await readFile(rig.coordination, 'utf8')).trim();
  const isRecorded = () =>
    readFile(recordPath(rig.coordination)).then(
      () => true,
      () => false,
    );

  it('holds, stops, starts, waits for readiness and switches without losing a request', async () => {
    let isOver = false;
    const texts = new Set<string>();
    const client = async () => {
      while (!isOver) texts.add(await (await fetch(rig.url, { method: 'POST', body: 'x' })).text());
    };
    const clients = Array.from({ length: 8 }, client);
    ready.green = false;
    let heldAtStop = '';
    slots.instead['stop blue'] = async () => {
      heldAtStop = (await rig.state()).target;
    };
    slots.instead['start green'] = async () => {
      ready.green = true;
    };

    const result = await run();
    await expect.poll(() => texts.has('green')).toBe(true);
    isOver = true;
    await Promise.all(clients);

    expect(result).toBe('switched');
    expect(slots.calls).toEqual(['stop blue', 'start green']);
    expect(heldAtStop).toBe('hold');
    expect([...texts]).toEqual(['blue', 'green']);
    expect([await target(), await isRecorded()]).toEqual(['green', false]);
    expect(reports.at(-1)).toBe('green is active');
  });

  it('does not hold requests if the configuration of the candidate is invalid', async () => {
    slots.checks.green = { isValid: false, lines: ['server.bnid: unknown setting'] };

    await expect(run()).rejects.toThrow('the configuration of green is invalid');

    expect([slots.calls, await target(), await isRecorded()]).toEqual([[], 'blue', false]);
    expect(reports).toEqual([
      'checking the configuration of green',
      '  server.bnid: unknown setting',
    ]);
  });

  it.each([
    [{ isValid: true, lines: ['The configuration is valid.'] }, []],
    [undefined, ['the configuration of green is not checked: its command does not contain serve']],
  ])('hands off if the check of the candidate returns %j', async (check, said) => {
    if (check) slots.checks.green = check;

    expect(await run()).toBe('switched');

    expect(reports.slice(0, 3 + said.length)).toEqual([
      'checking the configuration of green',
      ...said,
      'begun',
      'holding requests',
    ]);
  });

  it('keeps its record fresh while it runs, and only then', async () => {
    const path = recordPath(rig.coordination);
    const isFreshNow = () => isFresh(path, systemClock);
    let before: boolean | undefined;
    slots.instead['start green'] = async () => {
      // Simulates that the record was last touched long ago.
      await utimes(path, 1, 1);
      before = await isFreshNow();
      await expect.poll(isFreshNow).toBe(true);
    };

    await run(undefined, { clock: { ...systemClock, after: soon } });

    expect([before, await isFreshNow()]).toEqual([false, false]);
  });

  it('can switch forth and back', async () => {
    expect([await run(), await run(), await run()]).toEqual(['switched', 'switched', 'switched']);

    expect(await target()).toBe('green');
    expect(await (await fetch(rig.url)).text()).toBe('green');
  });

  it.each([
    [
      'is never ready',
      () => {
        ready.green = false;
      },
    ],
    [
      'cannot be started',
      () => {
        slots.instead['start green'] = () => Promise.reject(new Error('no'));
      },
    ],
    [
      'ends',
      () => {
        slots.driver.isRunning = async (slot) => slot === 'blue';
      },
    ],
  ])('returns to the previous slot if the candidate %s', async (_what, prepare) => {
    prepare();

    const result = await run();

    expect(result).toBe('returned');
    expect(reports).toContain('the log of green: green.log');
    expect(slots.calls).toEqual(['stop blue', 'start green', 'stop green', 'restart blue']);
    expect([await target(), await isRecorded()]).toEqual(['blue', false]);
    expect(await (await fetch(rig.url)).text()).toBe('blue');
  });

  it('reserves half of the margin for starting the previous slot again', async () => {
    ready.green = false;

    await run();

    expect(slots.graces).toEqual({ blue: 11_000, green: 500 });
  });

  it('returns to the previous slot although the return cannot be recorded', async () => {
    slots.instead['start green'] = async () => {
      await mkdir(`${recordPath(rig.coordination)}.new`);
      throw new Error('no');
    };

    expect(await run()).toBe('returned');

    expect([await target(), await isRecorded()]).toEqual(['blue', false]);
    expect(await (await fetch(rig.url)).text()).toBe('blue');
  });

  it.each(['blue', 'green'] as const)(
    'holds when the previous slot cannot be started again either, and a later run starts %s',
    async (slot) => {
      ready = { blue: false, green: false };
      const held = await run();
      const during = [await target(), await isRecorded()];
      ready = { blue: true, green: true };

      await expect(run()).rejects.toThrow(/--to/);
      const later = await run(slot);

      expect([held, later]).toEqual(['held', 'switched']);
      expect(during).toEqual(['hold', false]);
      expect([await target(), await isRecorded()]).toEqual([slot, false]);
      expect(await (await fetch(rig.url)).text()).toBe(slot);
    },
  );

  it('reports that requests are held if the gateway does not read the switch', async () => {
    let isBlind = false;
    slots.instead['start green'] = async () => {
      isBlind = true;
    };
    const gatewayState = async () => {
      const state = await rig.state();
      return isBlind ? { ...state, target: 'hold' } : state;
    };

    expect(await run(undefined, { gatewayState, clock: hurried })).toBe('held');

    expect(slots.calls).toEqual(['stop blue', 'start green']);
    expect([await target(), await isRecorded()]).toEqual(['green', false]);
    expect(reports.at(-1)).toBe('green will be active when the gateway reads the file');
  });

  it('starts the first slot of a deployment in a later run if the first run fails', async () => {
    await rm(rig.coordination);
    ready.green = false;
    const first = await run('green');
    ready.green = true;

    const second = await run('green');

    expect([first, second]).toEqual(['held', 'switched']);
    expect([await target(), await isRecorded()]).toEqual(['green', false]);
  });

  it.each([
    ['before blue is stopped', 'stop blue', 'switched', 'green'],
    ['before green is started', 'start green', 'switched', 'green'],
    ['before green is stopped again', 'stop green', 'returned', 'blue'],
    ['before blue is started again', 'restart blue', 'returned', 'blue'],
  ] as const)('continues after a crash %s', async (_what, step, result, slot) => {
    ready.green = result === 'switched';
    const crashed = new Promise<void>((resolve) => {
      slots.instead[step] = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    void run();
    await crashed;
    delete slots.instead[step];

    // The handoff continues to the slot of the first run, whatever slot this run names.
    expect(await run('blue')).toBe(result);

    expect([await target(), await isRecorded()]).toEqual([slot, false]);
    expect(await (await fetch(rig.url)).text()).toBe(slot);
    expect(Object.keys(slots.running)).toEqual([slot]);
  });

  it('continues after a crash that followed the switch', async () => {
    await run();
    await writeFile(
      recordPath(rig.coordination),
      JSON.stringify({ from: 'blue', to: 'green', direction: 'forward' }),
    );

    expect(await run()).toBe('switched');

    expect(slots.calls).toEqual(['stop blue', 'start green']);
    expect([await target(), await isRecorded()]).toEqual(['green', false]);
  });

  it('waits some extra time for a slot that has used its whole drain time', async () => {
    await run();

    expect(slots.graces.blue).toBe(1000 + 10_000);
  });

  it('does nothing if the wanted slot is already active', async () => {
    expect(await run('blue')).toBe('switched');

    expect([slots.calls, await isRecorded()]).toEqual([[], false]);
  });

  it('starts the wanted slot again if the slot is active in the file but not running', async () => {
    await slots.running.blue?.stop();
    delete slots.running.blue;

    expect(await run('blue')).toBe('switched');

    expect(slots.calls).toEqual(['stop green', 'start blue']);
    expect(await (await fetch(rig.url)).text()).toBe('blue');
  });

  it('fails before anything has changed if the gateway follows another file', async () => {
    const coordination = `${rig.coordination}-of-another`;
    const isFollowed = run('blue', { coordination, clock: hurried });

    await expect(isFollowed).rejects.toThrow(/^--coordination: the gateway /);

    expect([slots.calls, await target()]).toEqual([[], 'blue']);
    await expect(readFile(recordPath(coordination))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['the hold is too short', { drainMs: 60_000 }, /holds requests for at most 60000 ms/],
    ['the hold has no time to kill a slot', { drainMs: 49_000 }, /may need 60300 ms/],
    ['the gateway is not there', { gatewayState: async () => undefined }, /^--gateway: /],
  ])('fails before anything has changed if %s', async (_what, changes, message) => {
    await expect(run(undefined, changes)).rejects.toThrow(message);

    expect([slots.calls, await target(), await isRecorded()]).toEqual([[], 'blue', false]);
  });

  it('starts the wanted slot if no slot is active', async () => {
    await rm(rig.coordination);
    await expect(run()).rejects.toThrow(/--to/);

    expect(await run('green')).toBe('switched');

    expect(slots.calls).toEqual(['stop blue', 'start green']);
    expect(await target()).toBe('green');
  });

  it('rejects an invalid record', async () => {
    await writeFile(recordPath(rig.coordination), '{');

    await expect(run()).rejects.toThrow(/not a handoff record/);

    expect([slots.calls, await target()]).toEqual([[], 'blue']);
  });
});
