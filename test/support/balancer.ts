import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { isInstalled } from './outside-tools.ts';

const CONFIGURATION = new URL('../../infra/container/haproxy.cfg', import.meta.url);

export interface Balancer {
  readonly address: string;
  stop(): Promise<void>;
}

/** Returns true if HAProxy is installed. In CI HAProxy must be installed, so that no test is skipped. */
export const isHaproxyInstalled = () => isInstalled('haproxy', ['-v']);

/**
 * Starts HAProxy with the configuration of `infra/container`, in front of two replicas on these ports of loopback. Without
 * `ownPort`, HAProxy listens on a free port.
 */
export async function startBalancer(
  ports: readonly [number, number],
  ownPort?: number,
): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'haproxy-'));
  const port = ownPort ?? (await freePort());
  const configuration = readFileSync(CONFIGURATION, 'utf8')
    .replace('bind :8787', `bind 127.0.0.1:${port}`)
    .replaceAll('one:8787', `127.0.0.1:${ports[0]}`)
    .replaceAll('two:8787', `127.0.0.1:${ports[1]}`);
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, configuration);
  const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const ended = once(haproxy, 'exit');
  const address = `http://127.0.0.1:${port}`;
  while (haproxy.exitCode === null && !(await isListening(address))) await delay(20);
  return {
    address,
    async stop() {
      haproxy.kill('SIGKILL');
      await ended;
      // A test may stop a bridge that it has stopped before.
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const isListening = (address: string) =>
  fetch(`${address}/health/live`).then(
    () => true,
    () => false,
  );
