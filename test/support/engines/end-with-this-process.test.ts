import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isPostgresInstalled, type PostgresConnection, query } from './postgres-server.ts';
import { isS3GatewayInstalled, type S3Connection } from './s3-gateway.ts';

interface Connections {
  readonly postgres: PostgresConnection;
  readonly s3: S3Connection;
}

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url));
const isAnswering = (ask: Promise<unknown>) =>
  ask.then(
    () => true,
    () => false,
  );

describe.runIf(isPostgresInstalled() && isS3GatewayInstalled())('endWithThisProcess', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'ends the servers and removes their folders after %s of the process that started them',
    async (signal) => {
      const program = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(createInterface(program.stdout), 'line');
      const { postgres, s3 }: Connections = JSON.parse(line);
      expect(await isAnswering(query(postgres.url, 'SELECT 1'))).toBe(true);
      expect(await isAnswering(fetch(s3.endpoint))).toBe(true);

      program.kill(signal);

      await expect.poll(() => isAnswering(query(postgres.url, 'SELECT 1'))).toBe(false);
      await expect.poll(() => isAnswering(fetch(s3.endpoint))).toBe(false);
      const folder = new URL(postgres.socketUrl).searchParams.get('host');
      await expect
        .poll(() => [folder, s3.buckets].map((path) => existsSync(`${path}`)))
        .toEqual([false, false]);
    },
  );
});
