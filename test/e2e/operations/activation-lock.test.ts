import { readdir } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, freshFolder, launchProgram, startBridge } from '../../support/start-bridge.ts';

afterAll(cleanUp);

const LOCK = 'server.activation_lock=shared/activation.lock';

/** The settings of a bridge that two bridges in one folder do not share. */
const own = (name: string) => [`state.directory=${name}/state`, `artifacts.root=${name}/artifacts`];

/** Starts another bridge that finds the lock taken. */
async function startWaiting(cwd: string, set: readonly string[] = []) {
  const settings = ['server.bind=127.0.0.1:0', LOCK, ...set];
  const run = launchProgram(['quickstart', ...settings.flatMap((one) => ['--set', one])], cwd);
  await expect.poll(() => run.output.stderr).toMatch(/waiting for the lock/);
  return run;
}

describe('image-bridge serve with server.activation_lock', () => {
  it('waits until the holder has ended, without listening or changing its state', async () => {
    const first = await startBridge({ set: [LOCK, ...own('first')] });
    const second = await startWaiting(first.cwd, own('second'));

    expect(second.output.stderr).toContain(`is held by process ${first.child.pid} on `);
    expect(second.output.stdout).toBe('');
    expect((await readdir(first.cwd)).sort()).toEqual(['first', 'shared']);
    await first.end();
    await expect.poll(() => second.output.stdout).toMatch(/listens on/);
    second.child.kill();
    await second.ended;
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'serves after the holder is ended by %s',
    async (signal) => {
      const first = await startBridge({ set: [LOCK] });
      const second = await startWaiting(first.cwd);

      await first.end(signal);

      await expect.poll(() => second.output.stdout).toMatch(/listens on/);
      second.child.kill();
      expect((await second.ended).code).toBe(0);
      expect((await readdir(`${first.cwd}/shared`)).sort()).toEqual(['activation.lock']);
    },
  );

  it('exits with 3 and names the lock and its holder if waiting is disabled', async () => {
    const first = await startBridge({ set: [LOCK] });

    const ended = await launchProgram(['quickstart', '--no-wait', '--set', LOCK], first.cwd).ended;

    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toMatch(
      /^image-bridge: server\.activation_lock: shared\/activation\.lock is held by process \d+ on \S+ since \S+\n$/,
    );
    expect(ended.stderr).toContain(`process ${first.child.pid} `);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('exits with 0 on %s while it waits', async (signal) => {
    const first = await startBridge({ set: [LOCK] });
    const second = await startWaiting(first.cwd);

    second.child.kill(signal);

    expect(await second.ended).toMatchObject({ code: 0, stdout: '' });
  });

  it('rejects the lock file of the state directory', async () => {
    const cwd = await freshFolder();
    const lock = 'server.activation_lock=data/state/lock';

    const ended = await launchProgram(['quickstart', '--set', lock], cwd).ended;

    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(
      /server\.activation_lock .*must not be the lock file of state\.directory/s,
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  it('rejects a file with content, and does not change it', async () => {
    const cwd = await freshFolder();
    const lock = `server.activation_lock=${import.meta.filename}`;

    const ended = await launchProgram(['quickstart', '--set', lock], cwd).ended;

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/\nimage-bridge: server\.activation_lock: [^\n]+\n$/);
    expect(await readdir(cwd)).toEqual([]);
  });
});
