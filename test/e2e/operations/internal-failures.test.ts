import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import type { Diagnostics } from '../../../lib/contract/resources/diagnostics.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { webhookSettings } from '../jobs/webhook-receiver.ts';

afterAll(cleanUp);

const STATE = 'data/state/bridge.sqlite';
const PROMPT = 'a lighthouse that stays secret';

/** Drops a table while the bridge runs. Every statement that needs it fails with an unexpected error. */
function dropTable({ cwd }: Pick<StartedBridge, 'cwd'>, table: string): void {
  const database = new Sqlite(join(cwd, STATE));
  database.pragma('foreign_keys = OFF');
  database.exec(`DROP TABLE ${table}`);
  database.close();
}

const failuresIn = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line.includes('"internal_failure"'))
    .map((line) => JSON.parse(line));

const OWN_FRAME = /^dist\/bundle\/[\w-]+\.js:\d+$/;

describe('internal_failure', () => {
  it('reports a 500 with its request id, class, code and own frames, and nothing else', async () => {
    const bridge = await startBridge({ set: ['server.tracing.enabled=false'] });
    dropTable(bridge, 'preset');

    const response = await fetch(`${bridge.address}/v1/presets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'request-7' },
      body: JSON.stringify({ name: 'lighthouses', template: { prompt: PROMPT } }),
    });

    expect(response.status).toBe(500);
    await expect.poll(() => failuresIn(bridge.stderr())).toHaveLength(1);
    const [failure] = failuresIn(bridge.stderr());
    expect(failure).toEqual({
      time: expect.any(String),
      level: 'ERROR',
      event: 'internal_failure',
      request_id: 'request-7',
      error_code: 'internal',
      error_class: 'SqliteError',
      system_code: 'SQLITE_ERROR',
      stack: expect.any(Array),
    });
    expect(failure.stack.length).toBeGreaterThan(0);
    for (const frame of failure.stack) expect(frame).toMatch(OWN_FRAME);
    for (const secret of [PROMPT, 'lighthouses', bridge.cwd, 'node_modules', 'no such table']) {
      expect(bridge.stderr()).not.toContain(secret);
    }
  });

  it('reports the failure of a job under the id of its request', async () => {
    const bridge = await startBridge({ set: ['providers.sandbox.latency_ms=300'] });
    const response = await fetch(`${bridge.address}/v1/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'request-8' },
      body: JSON.stringify({ prompt: PROMPT, parameters: { size: '256x256' } }),
    });
    expect(response.status).toBe(202);

    dropTable(bridge, 'artifact');

    await expect
      .poll(() => failuresIn(bridge.stderr()))
      .toContainEqual(
        expect.objectContaining({ request_id: 'request-8', error_class: 'SqliteError' }),
      );
  });

  it('reports and counts a failure to build the search index, and searches still work', async () => {
    const cwd = await freshFolder();
    await mkdir(join(cwd, 'data/state/search.sqlite'), { recursive: true, mode: 0o700 });
    const bridge = await startBridge({ cwd, set: ['server.metrics.enabled=true'] });

    const reply = await fetch(`${bridge.address}/v1/jobs?search=lighthouse`);

    expect(reply.status).toBe(200);
    await expect.poll(() => failuresIn(bridge.stderr())).toHaveLength(1);
    const [failure] = failuresIn(bridge.stderr());
    expect(failure).toMatchObject({ task: 'job-search-index', system_code: 'ERR_FS_EISDIR' });
    expect(failure.stack[0]).toMatch(/\/search-index\.js:\d+$/);
    expect(await (await fetch(`${bridge.address}/metrics`)).text()).toContain(
      'image_bridge_task_failures_total{task="job-search-index"} 1',
    );
  });

  it('reports the reason of a failed start', async () => {
    const cwd = await freshFolder();
    await mkdir(join(cwd, 'data/state/lock'), { recursive: true });

    const { code, stderr } = await runProgram(
      ['quickstart', '--set', 'server.bind=127.0.0.1:0'],
      cwd,
    );

    expect(code).toBe(1);
    expect(stderr).toMatch(/^image-bridge: state\.directory: .+$/m);
    expect(failuresIn(stderr)).toMatchObject([
      { task: 'start', error_class: 'SqliteError', system_code: 'SQLITE_CANTOPEN' },
    ]);
    // The message for the operator names the path, and the log does not.
    expect(JSON.stringify(failuresIn(stderr))).not.toContain(cwd);
  });
});

describe('the tasks of GET /v1/diagnostics', () => {
  it('show the time of the last success of each task', async () => {
    const bridge = await startBridge(webhookSettings('hooks.test'));
    const tasks = async () => {
      const report = (await (
        await fetch(`${bridge.address}/v1/diagnostics`)
      ).json()) as Diagnostics;
      return report.tasks;
    };

    await expect
      .poll(async () => (await tasks()).every((task) => task.last_success !== undefined))
      .toBe(true);

    expect((await tasks()).map(({ name, failures }) => ({ name, failures }))).toEqual([
      { name: 'readiness-probe', failures: 0 },
      { name: 'artifact-retention', failures: 0 },
      { name: 'job-retention', failures: 0 },
      { name: 'removed-tokens', failures: 0 },
      { name: 'webhooks', failures: 0 },
      { name: 'lease-renewal', failures: 0 },
      { name: 'usage-retention', failures: 0 },
      { name: 'billed-call-retention', failures: 0 },
      { name: 'free-memory', failures: 0 },
    ]);
  });
});
