import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { endWithThisProcess } from './end-with-this-process.ts';

/** The way to an S3 server of the tests. */
export interface S3Connection {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The folder whose subfolders are the buckets. Each file below a bucket is an object. */
  readonly buckets: string;
}

// Installed by `.ci/engines`. The path of the package is the same for the compiled file.
const PACKAGE = createRequire(import.meta.url).resolve('#package');
const PROGRAM = join(dirname(PACKAGE), '.cache/bin/versitygw');

/** An S3 server of the tests. */
export interface S3Gateway extends S3Connection {
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

/** Returns true if the server is installed. In CI the server must be installed, so that no test is skipped. */
export function isS3GatewayInstalled(): boolean {
  return process.env['CI'] !== undefined || existsSync(PROGRAM);
}

/** Starts an S3 server without buckets, which ends with this process. */
export async function startS3Gateway(): Promise<S3Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 's3-'));
  const [buckets, metadata] = [join(folder, 'buckets'), join(folder, 'metadata')];
  mkdirSync(buckets);
  mkdirSync(metadata);
  const port = await freePort();
  const server = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'test-key',
    secretAccessKey: 'test-secret',
    buckets,
  };

  const log = openSync(join(folder, 'log'), 'w');
  const gateway = spawn(
    PROGRAM,
    ['--port', `127.0.0.1:${port}`, 'posix', '--sidecar', metadata, buckets],
    {
      detached: true,
      stdio: ['ignore', log, log],
      env: {
        ROOT_ACCESS_KEY: server.accessKeyId,
        ROOT_SECRET_KEY: server.secretAccessKey,
        VGW_REGION: server.region,
      },
    },
  );
  closeSync(log);
  await once(gateway, 'spawn');
  gateway.unref();
  const { end: stop } = endWithThisProcess('kill "$1"; rm -rf "$2"', [`${gateway.pid}`, folder]);
  while (!(await isAnswering(server.endpoint))) {
    if (gateway.exitCode !== null) {
      const output = readFileSync(join(folder, 'log'), 'utf8');
      await stop();
      throw new Error(`versitygw ended with ${gateway.exitCode}: ${output}`);
    }
    await delay(20);
  }
  return { ...server, stop };
}

const isAnswering = (endpoint: string) =>
  fetch(endpoint).then(
    () => true,
    () => false,
  );
