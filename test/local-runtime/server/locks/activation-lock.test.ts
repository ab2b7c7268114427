import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import {
  describeHolder,
  readHolder,
  takeActivationLock,
} from '../../../../local-runtime/server/locks/activation-lock.ts';
import { createSeeded } from '../../../support/seeded.ts';

const KILLS = Number(process.env['LOCK_KILLS'] ?? 20);
const CONTENDERS = 8;

describe('takeActivationLock', () => {
  let folder: string;
  let path: string;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'activation-lock-'));
    path = join(folder, 'made', 'activation.lock');
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map(kill));
    await rm(folder, { recursive: true });
  });

  const take = (onHeld: () => void = () => {}, signal = new AbortController().signal) =>
    takeActivationLock(path, { clock: systemClock, onHeld, signal });

  function start(program: string): ChildProcess {
    const built = (file: string) => new URL(`../../../../dist/${file}`, import.meta.url).href;
    const source = `
      const { takeActivationLock } = await import('${built('local-runtime/server/locks/activation-lock.js')}');
      const { systemClock: clock } = await import('${built('lib/platform/clock.js')}');
      const signal = new AbortController().signal;
      const take = () => takeActivationLock(${JSON.stringify(path)}, { clock, onHeld() {}, signal });
      ${program}`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  }

  /** Starts another process that holds the lock until it is killed. */
  async function holder(): Promise<ChildProcess> {
    const child = start(
      `globalThis.lock = await take(); console.log('held'); process.stdin.resume();`,
    );
    await once(child.stdout ?? child, 'data');
    return child;
  }

  it('writes the holder to a file beside the lock, and removes that file on release', async () => {
    const lock = await take();
    const held = readHolder(path);
    const files = await readdir(join(folder, 'made'));
    lock.release();

    expect(held).toMatchObject({ pid: process.pid, host: hostname() });
    expect(Math.abs((held?.since ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    expect(files.sort()).toEqual(['activation.lock', 'activation.lock.holder']);
    expect(await readdir(join(folder, 'made'))).toEqual(['activation.lock']);
  });

  it('waits while another process holds the lock, and reports the holder once', async () => {
    const other = await holder();
    const reports: string[] = [];
    let isTaken = false;
    const taking = take(() => reports.push(describeHolder(readHolder(path)))).then((lock) => {
      isTaken = true;
      return lock;
    });
    await expect.poll(() => reports.length).toBe(1);

    expect(isTaken).toBe(false);
    await kill(other);
    const lock = await taking;

    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain(`process ${other.pid} on ${hostname()} since 2`);
    expect(readHolder(path)?.pid).toBe(process.pid);
    lock.release();
  });

  it('ends the wait with the reason of the signal', async () => {
    await holder();
    const stopping = new AbortController();

    const taking = take(() => stopping.abort('stopped'), stopping.signal);

    await expect(taking).rejects.toBe('stopped');
  });

  it('acquires the lock of a killed process at once', async () => {
    await kill(await holder());

    const lock = await take(() => expect.unreachable('nothing holds it'));

    expect(readHolder(path)?.pid).toBe(process.pid);
    lock.release();
  });

  it.each(['folder', 'letter'])(
    'refuses a %s in its place and leaves it as it is',
    async (what) => {
      path = join(folder, what);
      if (what === 'folder') await mkdir(path);
      else await writeFile(path, 'a letter');

      await expect(take()).rejects.toThrow(/^server\.activation_lock: /);

      if (what === 'letter') expect(await readFile(path, 'utf8')).toBe('a letter');
      expect(await readdir(folder)).toEqual([what]);
    },
  );

  it('does not name the holder if the holder file cannot be read', async () => {
    const other = await holder();
    await writeFile(`${path}.holder`, '{');
    const stopping = new AbortController();
    const taking = take(() => stopping.abort(), stopping.signal);

    await expect(taking).rejects.toThrow();

    expect(describeHolder(readHolder(path))).toBe('another process');
    await kill(other);
  });

  it(
    `is never held by two of ${CONTENDERS} processes, with ${KILLS} random kills`,
    async () => {
      // All processes append to one file, whose order is the order of the events.
      const events = join(folder, 'events');
      await writeFile(events, '');
      const contend = () =>
        start(`
        const { appendFileSync } = await import('node:fs');
        const note = (what) => appendFileSync(${JSON.stringify(events)}, what + ' ' + process.pid + '\\n');
        for (;;) {
          const lock = await take();
          note('enters');
          for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
          note('leaves');
          lock.release();
          await new Promise(setImmediate);
        }`);
      const random = createSeeded(7);
      const contenders = Array.from({ length: CONTENDERS }, contend);
      const read = async () => (await readFile(events, 'utf8')).trimEnd().split('\n');

      for (let killed = 0; killed < KILLS; killed += 1) {
        const before = (await read()).length;
        await expect.poll(async () => (await read()).length).toBeGreaterThan(before + 1);
        const index = random.next(CONTENDERS);
        const victim = contenders[index];
        if (!victim) continue;
        appendFileSync(events, `kills ${victim.pid}\n`);
        await kill(victim);
        contenders[index] = contend();
      }
      await Promise.all(contenders.map(kill));

      expect(overlaps(await read())).toEqual([]);
      expect((await read()).filter((line) => line.startsWith('enters')).length).toBeGreaterThan(
        KILLS,
      );
    },
    60_000 + KILLS * 1000,
  );

  it('counts two holders as an overlap, unless the first was killed', () => {
    expect(overlaps(['enters 1', 'enters 2'])).toEqual(['enters 2']);
    expect(overlaps(['enters 1', 'kills 1', 'enters 2', 'leaves 2', 'enters 3'])).toEqual([]);
    expect(overlaps(['enters 1', 'kills 2', 'enters 3'])).toEqual(['enters 3']);
    // The end is written before the signal is sent, so the process can still acquire the lock in between.
    expect(overlaps(['kills 1', 'enters 1', 'enters 2'])).toEqual([]);
  });
});

/** Returns the events at which a process acquired the lock while another process, not yet signalled to end, held it. */
function overlaps(events: readonly string[]): readonly string[] {
  let holder: string | undefined;
  const killed = new Set<string | undefined>();
  return events.filter((event) => {
    const [what, pid] = event.split(' ');
    if (what === 'kills') killed.add(pid);
    const isOverlap = what === 'enters' && holder !== undefined && !killed.has(holder);
    if (what === 'enters') holder = pid;
    else if (what === 'leaves' && pid === holder) holder = undefined;
    return isOverlap;
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
