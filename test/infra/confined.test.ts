import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from '../conformance/sources.ts';
import { freePort } from '../support/free-port.ts';
import { runTool } from '../support/outside-tools.ts';
import { createResponsesUpstream } from '../support/responses-upstream/responses-upstream.ts';
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

/** The address in the greeting, and what has been printed by then. */
async function untilItListens({ stdout, stderr }: ChildProcessWithoutNullStreams) {
  let output = '';
  for (const stream of [stdout, stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const greeting = /listens on (\S+)/;
  await expect.poll(() => output, { timeout: 20_000 }).toMatch(greeting);
  return { url: greeting.exec(output)?.[1] ?? '', output: () => output };
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
      // The system knows this user only by number, and there is no HOME.
      const env = { PATH: process.env['PATH'] };
      const argv = confined([state, artifacts], set);
      const child = spawn(`${ROOT}.ci/confined`, argv, { cwd: root, env });
      const { url, output } = await untilItListens(child);

      const reply = await fetch(`${url}/v1/images`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          prompt: 'a kite',
          parameters: { size: '64x64' },
          output: { response_format: 'artifact' },
        }),
      });
      child.kill('SIGTERM');
      await once(child, 'close');

      expect(reply.status).toBe(200);
      expect(output()).not.toContain('internal_failure');
      expect(await readdir(artifacts)).toContainEqual(expect.stringMatching(/\.png$/));
      expect(await readdir(state)).toContain('bridge.sqlite');
      expect((await readdir(root)).sort()).toEqual(['artifacts', 'state']);
    });

    it.each(['container', 'systemd'])(
      'the configuration for %s serves in its own layout',
      async (layout) => {
        const home = await freshFolder();
        const upstream = await createResponsesUpstream({ imageBytes: 40_000 });
        await upstream.writeLogin(home);
        const token = 'a-token-of-the-layout';
        const env = {
          PATH: process.env['PATH'] ?? '',
          IMAGE_BRIDGE_CONFIG: `${ROOT}infra/${layout}/image-bridge.toml`,
          IMAGE_BRIDGE_TOKEN: token,
          IMAGE_BRIDGE__SERVER__BIND: `127.0.0.1:${await freePort()}`,
          IMAGE_BRIDGE__PROVIDERS__AGENT_RESPONSES__ENDPOINT: upstream.url,
          IMAGE_BRIDGE__PROVIDERS__AGENT_RESPONSES__TOKEN_ENDPOINT: upstream.tokenUrl,
        };
        // A /var/lib that only this process sees, with the folders that compose and systemd make.
        const folders = ['state', 'artifacts', 'login'].map(
          (name) => `/var/lib/image-bridge/${name}`,
        );
        const prepare = `mount -t tmpfs tmpfs /var/lib
        install -d -o ${UID} -g ${UID} -m 700 /var/lib/image-bridge ${folders.join(' ')}
        install -o ${UID} -g ${UID} -m 600 ${home}/auth.json /var/lib/image-bridge/login
        exec ${ROOT}.ci/confined ${folders.join(' ')} -- "$@"`;
        const serve = [process.execPath, PROGRAM, 'serve'];
        const argv = ['--mount', 'bash', '-ec', prepare, 'layout', ...serve];
        const child = spawn('unshare', argv, { env, cwd: '/' });
        const { url, output } = await untilItListens(child);

        const refused = await fetch(`${url}/v1/images`, { method: 'POST' });
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const made = await fetch(`${url}/v1/images`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ prompt: 'a kite', output: { response_format: 'artifact' } }),
        });
        const metrics = await fetch(`${url}/metrics`, { headers });
        const health = await runTool('env', [
          ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
          ...[process.execPath, PROGRAM, 'health'],
        ]);
        child.kill('SIGTERM');
        await once(child, 'close');
        await upstream.close();

        expect([refused.status, made.status, metrics.status]).toEqual([401, 200, 200]);
        expect(health).toEqual({ code: 0, output: 'ready\n' });
        expect(output()).not.toContain('internal_failure');
        expect(child.exitCode).toBe(0);
      },
    );

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
