import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createComposeDriver } from '../../../../local-runtime/gateway/handoff/compose-driver.ts';

/** A program that logs its arguments. A file in its folder sets its output and its exit code. */
const STAND_IN = `#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/calls"
cat "$here/output" 2>/dev/null
exit $(cat "$here/code" 2>/dev/null || echo 0)
`;

describe('createComposeDriver', () => {
  const path = process.env['PATH'];
  const said: string[] = [];
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compose-driver-'));
    await writeFile(join(folder, 'docker'), STAND_IN);
    await chmod(join(folder, 'docker'), 0o755);
    process.env['PATH'] = `${folder}:${path}`;
  });
  afterEach(async () => {
    process.env['PATH'] = path;
    await rm(folder, { recursive: true });
  });

  const services = { blue: 'bridge-blue', green: 'bridge-green' };
  const driver = (project?: string) =>
    createComposeDriver({
      file: 'deploy/compose.yaml',
      project,
      services,
      stderr: (text) => said.push(text),
    });
  const calls = async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');

  it('starts, restarts and stops one service without its dependencies', async () => {
    await driver().start('green');
    await driver().restart('blue');
    await driver('bridge').stop('blue', 1_860_001);

    expect(await calls()).toEqual([
      'compose --file deploy/compose.yaml up --detach --no-deps bridge-green',
      'compose --file deploy/compose.yaml up --detach --no-deps --no-recreate bridge-blue',
      'compose --file deploy/compose.yaml --project-name bridge stop --timeout 1861 bridge-blue',
    ]);
  });

  it.each([
    ['3f2a9c\n', true],
    ['\n', false],
    ['', false],
  ])('interprets the output %j as running: %s', async (output, isRunning) => {
    await writeFile(join(folder, 'output'), output);

    expect(await driver().isRunning('blue')).toBe(isRunning);
    expect(await calls()).toEqual([
      'compose --file deploy/compose.yaml ps --status running --quiet bridge-blue',
    ]);
  });

  it.each([
    ['the command of the image', { command: null }, ''],
    [
      'its own options',
      { command: ['serve', '--set', 'server.bind=[::]:1'] },
      ' --set server.bind=[::]:1',
    ],
  ])('checks a service with %s in a separate container', async (_what, service, options) => {
    const shown = { name: 'x', services: { 'bridge-blue': service } };
    await writeFile(join(folder, 'output'), JSON.stringify(shown));

    const check = await driver().check('blue');

    expect(check).toEqual({ isValid: true, lines: [JSON.stringify(shown)] });
    expect(await calls()).toEqual([
      'compose --file deploy/compose.yaml config --format json bridge-blue',
      `compose --file deploy/compose.yaml run --rm --no-deps -T bridge-blue config check${options}`,
    ]);
  });

  it.each([
    ['with another command', { services: { 'bridge-blue': { command: ['sh', '-c', 'serve'] } } }],
    ['that compose does not show', { services: {} }],
    ['of which compose shows nothing', 'nothing'],
  ])('does not check a service %s', async (_what, shown) => {
    await writeFile(join(folder, 'output'), JSON.stringify(shown));

    expect(await driver().check('blue')).toBeUndefined();
  });

  it('names the command that shows the log, and passes on the standard error of compose', async () => {
    await writeFile(join(folder, 'docker'), '#!/bin/sh\necho started >&2\n');

    await driver('bridge').start('blue');

    expect(said).toEqual(['started\n']);
    expect(driver('bridge').logOf('blue')).toBe(
      'docker compose --file deploy/compose.yaml --project-name bridge logs bridge-blue',
    );
  });

  it('fails if compose fails', async () => {
    await writeFile(join(folder, 'code'), '17');

    await expect(driver().start('blue')).rejects.toThrow('docker compose up failed');
  });

  it('fails if docker is not installed', async () => {
    process.env['PATH'] = join(folder, 'nothing');

    await expect(driver().stop('blue', 1000)).rejects.toThrow('docker cannot be started');
  });
});
