import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { query } from './engines/postgres-server.ts';
import { freePort } from './free-port.ts';
import { isInstalled } from './outside-tools.ts';

/** A pooler that assigns a connection of the server to each transaction. */
export interface Pooler {
  readonly url: string;
  stop(): Promise<void>;
}

/** True if PgBouncer is installed. In CI PgBouncer must be installed, so that no test is skipped. */
export const HAS_POOLER: boolean = await isInstalled('pgbouncer', ['--version']);

/** Starts PgBouncer in transaction mode in front of a server on loopback, with at most `connections` connections to the server. */
export async function startPooler(serverUrl: string, connections = 20): Promise<Pooler> {
  const server = new URL(serverUrl);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'pooler-'));
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users')];
  const lines = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
    'max_client_conn = 500',
    'auth_type = trust',
    `auth_file = ${users}`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  await writeFile(users, `"${server.username}" ""\n`);
  // PgBouncer refuses to run as root.
  await chmod(folder, 0o755);
  const asUser = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  const pooler = spawn('pgbouncer', [...asUser, '--quiet', file], { stdio: 'ignore' });
  const ended = once(pooler, 'exit');
  const url = Object.assign(new URL(serverUrl), { port }).href;
  while (pooler.exitCode === null && !(await isAnswering(url))) await delay(20);
  return {
    url,
    async stop() {
      pooler.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

const isAnswering = (url: string) =>
  query(url, 'SELECT 1').then(
    () => true,
    () => false,
  );
