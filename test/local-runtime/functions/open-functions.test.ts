import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FunctionEvent } from '../../../local-runtime/functions/function-handler.ts';
import { createFunctions } from '../../../local-runtime/functions/open-functions.ts';
import { emptySchema, HAS_POSTGRES } from '../../support/postgres.ts';
import { emptyBucket, HAS_S3 } from '../../support/s3-server.ts';
import { cleanUp, freshFolder } from '../../support/start-bridge.ts';

const TOKEN = 'a-long-enough-secret';
const SETTINGS = `version = 1
default_provider = "sandbox"
[server]
bearer_token_env = "TOKEN"
[providers.sandbox]
enabled = true
[providers.agent_responses]
enabled = false
[state]
directory = "state"
[artifacts]
root = "artifacts"
`;

let cwd: string;
let lines: string[];
let functions: ReturnType<typeof createFunctions>;

beforeEach(async () => {
  cwd = await freshFolder();
  lines = [];
  await writeFile(join(cwd, 'image-bridge.toml'), SETTINGS);
  // Paths in the configuration are relative to the working directory of the process.
  const env = {
    TOKEN,
    IMAGE_BRIDGE__STATE__DIRECTORY: join(cwd, 'state'),
    IMAGE_BRIDGE__ARTIFACTS__ROOT: join(cwd, 'artifacts'),
  };
  functions = createFunctions({ env, cwd, writeLine: (line) => lines.push(line) });
});
afterEach(async () => {
  await functions.close();
  await cleanUp();
});

async function call(routeKey: string, body?: object, { handler } = functions) {
  const [method = '', rawPath = ''] = routeKey.split(' ');
  const event: FunctionEvent = {
    routeKey,
    rawPath,
    headers: {
      host: 'api.example',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
    },
    requestContext: { http: { method } },
    body: body && JSON.stringify(body),
  };
  const reply = await handler(event, { getRemainingTimeInMillis: () => 26_000 });
  return { ...reply, json: JSON.parse(Buffer.from(reply.body, 'base64').toString()) };
}

describe('createFunctions', () => {
  it.runIf(HAS_POSTGRES && HAS_S3)(
    'shares its jobs with every process on the same PostgreSQL and bucket',
    async () => {
      const [{ url, schema }, s3] = await Promise.all([emptySchema(), emptyBucket()]);
      // The client library of the bucket reads the environment of the process.
      vi.stubEnv('AWS_ACCESS_KEY_ID', s3.accessKeyId);
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3.secretAccessKey);
      vi.stubEnv('AWS_REGION', s3.region);
      onTestFinished(() => void vi.unstubAllEnvs());
      const env = {
        TOKEN,
        DATABASE_URL: url,
        IMAGE_BRIDGE__STATE__DRIVER: 'postgres',
        IMAGE_BRIDGE__STATE__POSTGRES__SCHEMA: schema,
        IMAGE_BRIDGE__STATE__POSTGRES__WAKEUPS: 'poll',
        IMAGE_BRIDGE__ARTIFACTS__DRIVER: 's3',
        IMAGE_BRIDGE__ARTIFACTS__S3__BUCKET: s3.bucket,
        IMAGE_BRIDGE__ARTIFACTS__S3__ENDPOINT: s3.endpoint,
        IMAGE_BRIDGE__ARTIFACTS__S3__ALLOW_HTTP: 'true',
        IMAGE_BRIDGE__ARTIFACTS__S3__PATH_STYLE: 'true',
      };
      const another = createFunctions({ env, cwd, writeLine: (line) => lines.push(line) });
      functions = createFunctions({ env, cwd, writeLine: (line) => lines.push(line) });

      const created = await call('POST /v1/jobs', { prompt: 'a kite' }, another);
      const { json } = await call('GET /v1/jobs');
      await another.close();

      expect(created.statusCode).toBe(202);
      expect(json.items.map(({ id }: { id: string }) => id)).toEqual([created.json.id]);
      expect(lines).toEqual([]);
    },
  );

  it('queues a job and never runs the job', async () => {
    const created = await call('POST /v1/jobs', { prompt: 'a kite' });

    expect([created.statusCode, created.json.status]).toEqual([202, 'queued']);
    expect((await call('GET /v1/queue')).json).toMatchObject({ queued: 1, running: 0 });
    expect(lines).toEqual([]);
  });

  it('replies with 503 and logs the reason while the bridge cannot start, then starts', async () => {
    const file = join(cwd, 'image-bridge.toml');
    await writeFile(file, 'version = 9\n');
    const refused = await call('GET /v1/jobs');
    await writeFile(file, SETTINGS);

    const served = await call('GET /v1/jobs');

    expect([refused.statusCode, refused.json.error.code]).toEqual([503, 'overloaded']);
    expect(refused.body).not.toContain('version');
    expect(lines.join('')).toContain('image-bridge: version (image-bridge.toml:1)');
    expect(served.statusCode).toBe(200);
  });

  it('replies with 503 if the stores cannot be opened', async () => {
    await mkdir(join(cwd, 'state/bridge.sqlite'), { recursive: true });

    expect((await call('GET /v1/jobs')).statusCode).toBe(503);
  });

  it('replies with 500 to an event of another source, and serves the next event', async () => {
    const warmUp = { source: 'aws.events' } as unknown as FunctionEvent;

    const reply = await functions.handler(warmUp, { getRemainingTimeInMillis: () => 26_000 });

    expect(reply.statusCode).toBe(500);
    expect((await call('GET /v1/jobs')).statusCode).toBe(200);
  });
});
