import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';

const GATEWAY = ['gateway', '--bind', '127.0.0.1:0', '--coordination', 'no/target'];
const HANDOFF = ['handoff', '--coordination', 'no/target', '--gateway', 'http://127.0.0.1:1'];
const COMPOSE = [...HANDOFF, '--compose', 'compose.yaml'];
const SLOTS = ['--blue', 'http://127.0.0.1:2', '--green', 'http://127.0.0.1:3'];

const run = (argv: readonly string[]) => runCommand(argv, { cwd: '.' });

describe.each([
  ['gateway', GATEWAY],
  ['handoff', COMPOSE],
])('image-bridge %s', (_name, argv) => {
  it.each([
    ['http://127.0.0.1:8788', 'http://127.0.0.1:8788/'],
    ['http://LOCALHOST', 'http://localhost:80'],
  ])('refuses the slots %s and %s, which are one', async (blue, green) => {
    expect(await run([...argv, '--blue', blue, '--green', green])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'image-bridge: --blue and --green are the same address: the slots must be two\n',
    });
  });
});

describe('image-bridge handoff', () => {
  it.each([
    [['--green-service', 'blue']],
    [['--blue-service', 'green']],
    [['--blue-service', 'bridge', '--green-service', 'bridge']],
  ])('refuses %j: one service for both slots', async (services) => {
    expect(await run([...COMPOSE, ...SLOTS, ...services])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'image-bridge: --blue-service and --green-service are the same service: the slots must be two\n',
    });
  });

  it('takes services that are named crosswise', async () => {
    const crosswise = ['--blue-service', 'green', '--green-service', 'blue'];

    expect((await run([...COMPOSE, ...SLOTS, ...crosswise])).exitCode).toBe(1);
  });
});
