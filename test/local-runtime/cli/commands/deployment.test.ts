import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../support/run-command.ts';
import { cleanUp, freshFolder } from '../../../support/start-bridge.ts';

afterAll(cleanUp);

const folder = await freshFolder();
const COORDINATION = ['--coordination', join(folder, 'target')];
const GATEWAY = ['gateway', '--bind', '127.0.0.1:0', ...COORDINATION];
const HANDOFF = ['handoff', ...COORDINATION, '--gateway', 'http://127.0.0.1:1'];
const COMPOSE = [...HANDOFF, '--compose', 'compose.yaml'];
const SLOTS = ['--blue', 'http://127.0.0.1:2', '--green', 'http://127.0.0.1:3'];

const run = (argv: readonly string[]) => runCommand(argv, { cwd: folder });

describe.each([
  ['gateway', GATEWAY],
  ['handoff', COMPOSE],
])('image-bridge %s', (_name, argv) => {
  it.each([
    ['http://127.0.0.1:8788', 'http://127.0.0.1:8788/'],
    ['http://LOCALHOST', 'http://localhost:80'],
  ])('rejects the slots %s and %s, which have the same address', async (blue, green) => {
    expect(await run([...argv, '--blue', blue, '--green', green])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'image-bridge: --blue and --green name the same address; use two different values\n',
    });
  });
});

describe('image-bridge handoff', () => {
  it.each([
    [['--green-service', 'blue']],
    [['--blue-service', 'green']],
    [['--blue-service', 'bridge', '--green-service', 'bridge']],
  ])('rejects %j, which names one service for both slots', async (services) => {
    expect(await run([...COMPOSE, ...SLOTS, ...services])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'image-bridge: --blue-service and --green-service name the same service; use two different values\n',
    });
  });

  it('accepts swapped service names', async () => {
    const crosswise = ['--blue-service', 'green', '--green-service', 'blue'];

    expect((await run([...COMPOSE, ...SLOTS, ...crosswise])).exitCode).toBe(1);
  });

  it('rejects a coordination file in a missing folder, and does not create the folder', async () => {
    const parent = await freshFolder();
    const argv = ['handoff', '--coordination', join(parent, 'typo/target'), '--compose', 'x'];

    const ended = await run([...argv, '--gateway', 'http://127.0.0.1:1', ...SLOTS]);

    expect(ended).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `image-bridge: --coordination: the folder ${parent}/typo cannot be used: no such file or folder\n`,
    });
    expect(await readdir(parent)).toEqual([]);
  });
});
