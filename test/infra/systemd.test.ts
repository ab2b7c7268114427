import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../lib/config/load-config.ts';
import { ALLOCATOR, YOUNG_GENERATION } from '../../local-runtime/server/memory-settings.ts';
import { ROOT } from '../conformance/sources.ts';
import { isInstalled, runTool } from '../support/outside-tools.ts';
import { cleanUp, freshFolder } from '../support/start-bridge.ts';

afterAll(cleanUp);

const FOLDER = `${ROOT}infra/systemd`;
const unit = readFileSync(`${FOLDER}/image-bridge.service`, 'utf8');
const hasSystemd = await isInstalled('systemd-analyze', ['--version']);

// Tenths of the scale of systemd-analyze, from 0 (confined) to 100 (not at all). Below 20 is its best grade but one.
const MAX_EXPOSURE = 15;

/** The unit as it is, but for the program and the user, which are not on this machine. */
async function unitOfThisMachine(): Promise<string> {
  const file = join(await freshFolder(), 'image-bridge.service');
  const text = unit
    .replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true')
    .replace(/^(User|Group)=.*\n/gm, '')
    .replace(/^Documentation=.*\n/m, '');
  await writeFile(file, text);
  return file;
}

describe('the systemd unit', () => {
  it.runIf(hasSystemd)('has no line that systemd does not know', async () => {
    const file = await unitOfThisMachine();

    expect(await runTool('systemd-analyze', ['verify', file])).toEqual({ code: 0, output: '' });
  });

  it.runIf(hasSystemd)('is confined', async () => {
    const argv = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`];
    const { code, output } = await runTool('systemd-analyze', [
      ...argv,
      `${FOLDER}/image-bridge.service`,
    ]);

    expect({
      code,
      verdict: output.split('\n').find((line) => line.includes('Overall')),
    }).toMatchObject({ code: 0 });
  });

  it('sets what serve would set, so that serve need not start itself again', () => {
    const set = Object.entries(ALLOCATOR).map(([name, value]) => `${name}=${value}`);

    expect(
      /^Environment=.*MALLOC.*$/m
        .exec(unit)?.[0]
        .split(/[= ](?=MALLOC)/)
        .slice(1),
    ).toEqual(set);
    expect(unit).toContain(` NODE_OPTIONS=${YOUNG_GENERATION}\n`);
  });

  it('lets a bridge write where its configuration keeps state, artifacts and the login', async () => {
    const env = {};
    const loaded = await loadConfig({ env, cwd: FOLDER, configFile: 'image-bridge.toml' });
    const writable = /^StateDirectory=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];

    expect(loaded).toMatchObject({ ok: true, warnings: [] });
    expect(
      loaded.ok && [
        loaded.config.state.directory,
        loaded.config.artifacts.root,
        loaded.config.providers.agent_responses.home,
      ],
    ).toEqual(writable.slice(1).map((folder) => `/var/lib/${folder}`));
  });

  it('gives a bridge longer to stop than its own grace', async () => {
    const loaded = await loadConfig({ env: {}, cwd: FOLDER, configFile: 'image-bridge.toml' });
    const stopSecs = Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1]);

    expect(stopSecs * 1000).toBeGreaterThan(
      loaded.ok ? loaded.config.runtime.shutdown_grace_ms : Number.NaN,
    );
  });
});
