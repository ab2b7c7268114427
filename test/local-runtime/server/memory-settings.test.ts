import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, startBridge } from '../../support/start-bridge.ts';

afterAll(cleanUp);

/** Returns the environment with which the program in the process was started (proc(5)). */
function started(pid = 0) {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  return { argv: read('cmdline'), env: read('environ') };
}

describe.runIf(process.platform === 'linux')('the memory settings', () => {
  it('are set for serve, in the process that was started', async () => {
    const { child } = await startBridge({ command: 'serve' });

    const { argv, env } = started(child.pid);

    expect(argv.slice(0, -1)).toEqual(child.spawnargs);
    expect(env).toContain('MALLOC_ARENA_MAX=1');
    expect(env).toContain('MALLOC_MMAP_THRESHOLD_=69632');
    expect(env).toContain('NODE_OPTIONS=--max-semi-space-size=8');
    expect(env).toContain(`PATH=${process.env['PATH']}`);
  });

  it('leave the options of Node that the operator has set, after their own', async () => {
    const NODE_OPTIONS = '--max-semi-space-size=4';

    const { child } = await startBridge({ command: 'serve', env: { NODE_OPTIONS } });

    expect(started(child.pid).env).toContain(
      'NODE_OPTIONS=--max-semi-space-size=8 --max-semi-space-size=4',
    );
  });

  it('are not set if Node may not execute programs, and the bridge still serves', async () => {
    const allowed = ['fs-read=*', 'fs-write=*', 'addons', 'worker', 'net']
      .map((what) => `--allow-${what}`)
      // Since version 25, Node's permission model also covers the network.
      .filter((flag) => process.allowedNodeEnvironmentFlags.has(flag.split('=', 1)[0] ?? ''));
    const NODE_OPTIONS = ['--permission', '--no-warnings', ...allowed].join(' ');

    const { child } = await startBridge({ command: 'serve', env: { NODE_OPTIONS } });

    expect(started(child.pid).env.filter((name) => name.startsWith('MALLOC'))).toEqual([]);
  });

  it('are not changed if the operator has set one of them', async () => {
    const { child } = await startBridge({ command: 'serve', env: { MALLOC_ARENA_MAX: '8' } });

    const { env } = started(child.pid);

    expect(env.filter((name) => name.startsWith('MALLOC'))).toEqual(['MALLOC_ARENA_MAX=8']);
  });
});
