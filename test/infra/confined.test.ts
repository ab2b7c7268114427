import { spawn } from 'node:child_process';
import { chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../conformance/sources.ts';
import { runTool } from '../support/outside-tools.ts';
import { cleanUp, freshFolder, PROGRAM } from '../support/start-bridge.ts';

afterAll(cleanUp);

const UID = 10_001;
const isRoot = process.getuid?.() === 0;
// Another user may not get at a clone in root's home.
const asUser = ['--reuid', `${UID}`, '--regid', `${UID}`, '--clear-groups'];
const canConfine =
  isRoot &&
  (await runTool('unshare', ['--mount', 'true'])).code === 0 &&
  (await runTool('setpriv', [...asUser, 'test', '-r', PROGRAM])).code === 0;

/** The folders that a container mounts, owned by its user. */
async function mountedFolders() {
  const root = await freshFolder();
  const folders = { state: join(root, 'state'), artifacts: join(root, 'artifacts') };
  for (const folder of Object.values(folders)) {
    await mkdir(folder);
    await chown(folder, UID, UID);
  }
  await chown(root, UID, UID);
  return { root, ...folders };
}

/** A command line of the program, confined as a container is. */
function confined(writable: readonly string[], set: readonly string[]): readonly string[] {
  const settings = ['server.bind=127.0.0.1:0', ...set].flatMap((one) => ['--set', one]);
  return [...writable, '--', process.execPath, PROGRAM, 'quickstart', ...settings];
}

describe.runIf(canConfine)(
  'as user 10001 in a read-only tree (skipped without root, and where that user cannot read the clone)',
  () => {
    it('a command can write to its folders, and not beside them or in the tree', async () => {
      const { root, state } = await mountedFolders();
      const tried = ['state/a', 'artifacts/a', `${ROOT}a`].map(
        (path) => `touch ${path} && echo ${path}`,
      );
      const argv = [state, '--', 'sh', '-c', `id -u; ${tried.join('; ')}; true`];

      const { output } = await runTool(`${ROOT}.ci/confined`, argv, root);

      expect(output.split('\n').filter((line) => !line.startsWith('touch:'))).toEqual([
        '10001',
        'state/a',
        '',
      ]);
      expect(output.match(/Read-only file system/g)).toHaveLength(2);
    });

    it('the bridge generates an image and writes to its two folders alone', async () => {
      const { root, state, artifacts } = await mountedFolders();
      const set = [`state.directory=${state}`, `artifacts.root=${artifacts}`];
      const child = spawn(`${ROOT}.ci/confined`, confined([state, artifacts], set), { cwd: root });
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
      });
      const log = text(child.stderr);
      await vi.waitFor(() => expect(output).toContain('listens on'), { timeout: 20_000 });
      const address = /listens on (\S+)/.exec(output)?.[1];

      const reply = await fetch(`${address}/v1/images`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          prompt: 'a kite',
          parameters: { size: '64x64' },
          output: { response_format: 'artifact' },
        }),
      });
      child.kill('SIGTERM');

      expect(reply.status).toBe(200);
      expect(await log).not.toContain('internal_failure');
      expect(await readdir(artifacts)).toContainEqual(expect.stringMatching(/\.png$/));
      expect(await readdir(state)).toContain('bridge.sqlite');
      expect((await readdir(root)).sort()).toEqual(['artifacts', 'state']);
    });

    it('a bridge whose state cannot be written ends and names the setting', async () => {
      const { root, state, artifacts } = await mountedFolders();
      const set = [`state.directory=${state}`, `artifacts.root=${artifacts}`];

      const { code, output } = await runTool(
        `${ROOT}.ci/confined`,
        confined([artifacts], set),
        root,
      );

      expect(code).toBe(1);
      expect(output).toContain('image-bridge: state.directory: ');
    });
  },
);
