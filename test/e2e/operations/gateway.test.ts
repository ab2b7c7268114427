import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, freshFolder, launchProgram, startBridge } from '../../support/start-bridge.ts';

afterAll(cleanUp);

/** Starts a gateway in front of one bridge, to which it sends no requests yet. */
async function startHolding() {
  const bridge = await startBridge();
  const folder = await freshFolder();
  const argv = ['--bind', '127.0.0.1:0', '--coordination', 'target', '--blue', bridge.address];
  const run = launchProgram(['gateway', ...argv, '--green', 'http://127.0.0.1:1'], folder);
  await expect.poll(() => run.output.stdout).toMatch(/listens on/);
  const url = /listens on (\S+)/.exec(run.output.stdout)?.[1] ?? '';
  const create = (id: string) =>
    fetch(`${url}/v1/images`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': id },
      body: JSON.stringify({
        prompt: 'dusk',
        parameters: { size: '256x256' },
        output: { response_format: 'metadata' },
      }),
    }).then(
      ({ status }) => status,
      () => 'broken',
    );
  const untilHeld = () =>
    expect
      .poll(async () => (await fetch(`${url}/health/gateway`)).json())
      .toMatchObject({ target: 'hold', held: 1 });
  const point = (target: string) => writeFile(join(folder, 'target'), target);
  return { bridge, run, create, untilHeld, point };
}

describe('image-bridge gateway', () => {
  it('forwards held requests as soon as a slot is named, and stops properly', async () => {
    const { bridge, run, create, untilHeld, point } = await startHolding();
    const held = create('held-1');
    await untilHeld();

    await point('blue');

    expect(await held).toBe(200);
    run.child.kill('SIGTERM');
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^target: hold\n.*listens on .*\ntarget: blue\n$/);
    const { stderr } = await bridge.end();
    expect(stderr.match(/"image_operation_started".*"held-1"/g)).toHaveLength(1);
  });

  it.each([
    ['SIGKILL', 'broken'],
    ['SIGTERM', 503],
  ] as const)('sends nothing of what it held when it ends by %s', async (signal, outcome) => {
    const { bridge, run, create, untilHeld } = await startHolding();
    const held = create('held-2');
    await untilHeld();

    run.child.kill(signal);
    await run.ended;

    expect(await held).toBe(outcome);
    const { stderr } = await bridge.end();
    expect(stderr).not.toContain('held-2');
  });

  it.each([
    [
      ['--bind', 'nowhere'],
      "'--bind <host:port>' argument 'nowhere' is invalid. The value must be HOST:PORT",
    ],
    [['--metrics-bind', '127.0.0.1'], "'--metrics-bind <host:port>' argument"],
    [
      ['--green', 'http://a/path'],
      'The value must be an http or https URL without a path, such as http://127.0.0.1:8788.',
    ],
    [['--blue', 'ftp://a'], "'--blue <url>' argument 'ftp://a' is invalid."],
    [['--hold-ms', '0'], 'The value must be a whole number of at least 1.'],
  ])('rejects %j with the usage', async (argv, message) => {
    const url = 'http://127.0.0.1:1';
    const given = ['--bind', '127.0.0.1:0', '--coordination', 't', '--blue', url, '--green', url];

    const ended = await launchProgram(['gateway', ...given, ...argv], await freshFolder()).ended;

    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toMatch(/^usage: image-bridge gateway /);
    expect(ended.stderr).toContain(message);
  });

  it('rejects a port in use', async () => {
    const { run, bridge } = await startHolding();
    const { host } = new URL(bridge.address);
    const url = 'http://127.0.0.1:1';
    const argv = ['--bind', host, '--coordination', 't', '--blue', url, '--green', bridge.address];

    const ended = await launchProgram(['gateway', ...argv], await freshFolder()).ended;

    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe(`image-bridge: --bind: ${host} is already in use (EADDRINUSE)\n`);
    run.child.kill('SIGKILL');
    await run.ended;
  });
});
