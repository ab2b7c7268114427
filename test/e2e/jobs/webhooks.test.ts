import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { WebhookMessage } from '../../../lib/contract/resources/job-events.ts';
import { freePort } from '../../support/free-port.ts';
import { runCommand } from '../../support/run-command.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  startBridge,
  stateOf,
} from '../../support/start-bridge.ts';
import { createJobClient } from './jobs-rig.ts';
import { type Receiver, SECRET, startReceiver, webhookSettings } from './webhook-receiver.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DOCUMENT = new URL('../../../docs/jobs.md', import.meta.url);

const receivers: Receiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.kill()));
});
afterAll(cleanUp);

async function receiving(reply?: () => number | 'cut'): Promise<Receiver> {
  const receiver = await startReceiver(reply);
  receivers.push(receiver);
  return receiver;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5);
}

const isDelivered = (job: { webhook?: { status: string } }) => job.webhook?.status === 'delivered';

describe('webhooks', () => {
  it('deliver the signed end of a job, and the job reports the delivery', async () => {
    const receiver = await receiving();
    const { set, env } = webhookSettings(receiver.host);
    const bridge = await startBridge({ env, set: [...set, 'server.metrics.enabled=true'] });
    const client = await createJobClient(bridge);

    const { status, json } = await client.post({
      prompt: 'a boat',
      webhook: { url: receiver.url, events: ['succeeded'] },
    });
    const job = await client.until(json.id, isDelivered);

    expect(status).toBe(202);
    expect(json.webhook).toEqual({ status: 'pending', attempts: 0 });
    expect(job.webhook).toEqual({ status: 'delivered', attempts: 1, last_status: 204 });
    expect(receiver.refused).toEqual([]);
    for (const { id, ...message } of receiver.received)
      expect(v.is(WebhookMessage, message)).toBe(true);
    const { webhook: _, ...detail } = job;
    expect(receiver.received).toMatchObject([
      {
        id: job.id,
        type: 'job.succeeded',
        timestamp: new Date(job.completed * 1000).toISOString(),
        data: detail,
      },
    ]);
    await expect
      .poll(async () => (await client.get('/metrics')).bytes.toString())
      .toContain('image_bridge_webhook_deliveries_total{result="delivered"} 1');
    const { stderr } = await bridge.end();
    expect(stderr).not.toContain(receiver.host);
  });

  it('are sent to the default address for jobs without an address, including those of Prefer: respond-async', async () => {
    const receiver = await receiving();
    const { set, env } = webhookSettings(receiver.host);
    const bridge = await startBridge({
      env,
      set: [...set, `server.webhooks.default_url=${receiver.url}`],
    });
    const client = await createJobClient(bridge);

    const { json: job } = await client.post({ prompt: 'a boat' });
    const images = await client.send('POST', '/v1/images', {
      headers: { prefer: 'respond-async' },
      body: { prompt: 'a hen' },
    });
    await until(() => receiver.received.length === 2);

    expect(images.status).toBe(202);
    const ids = receiver.received.map(({ id }) => id);
    expect(new Set(ids)).toEqual(new Set([job.id, images.json.id]));
  });

  it('are set by generate, and `jobs show` prints their outcome', async () => {
    const receiver = await receiving();
    const bridge = await startBridge(webhookSettings(receiver.host));
    const client = await createJobClient(bridge);
    const cwd = await freshFolder();
    const run = (...argv: readonly string[]) =>
      runCommand(argv, { cwd, env: { IMAGE_BRIDGE_URL: bridge.address } });
    const events = ['--webhook-event', 'succeeded', '--webhook-event', 'failed'];

    const made = await run('generate', 'a boat', '--webhook', receiver.url, ...events);
    await until(() => receiver.received.length === 1);
    const id = receiver.received[0]?.id ?? '';
    await client.until(id, isDelivered);
    const shown = await run('jobs', 'show', id);

    expect(made.exitCode).toBe(0);
    expect(shown.stdout).toContain('\nwebhook: delivered, attempts 1, last status 204\n');
  });

  it.each([
    [['--webhook-event', 'failed'], '--webhook-event requires --webhook'],
    [['--webhook', 'https://hooks.test/', '--webhook-event', 'queued'], 'Allowed choices are'],
  ])('are rejected by generate with %j', async (options, message) => {
    const { exitCode, stderr } = await runCommand(['generate', 'a boat', ...options], {
      cwd: await freshFolder(),
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('are sent after the next start if a crash prevented them', async () => {
    const receiver = await receiving();
    const { set, env } = webhookSettings(receiver.host);
    const cwd = await freshFolder();
    const slow = 'providers.sandbox.latency_ms=600000';
    const first = await startBridge({ cwd, env, set: [...set, slow] });
    const client = await createJobClient(first);
    const { json } = await client.post({ prompt: 'a boat', webhook: { url: receiver.url } });
    await client.running(json.id);

    await first.end('SIGKILL');
    await startBridge({ cwd, env, set });
    await until(() => receiver.received.length === 1);

    expect(receiver.received).toMatchObject([{ id: json.id, type: 'job.interrupted' }]);
  });

  it('are counted with a warning while webhooks are off, and sent when webhooks are on', async () => {
    const receiver = await receiving();
    const { set, env } = webhookSettings(receiver.host);
    const cwd = await freshFolder();
    await receiver.kill();
    const first = await startBridge({ cwd, env, set });
    const client = await createJobClient(first);
    const { json } = await client.post({ prompt: 'a boat', webhook: { url: receiver.url } });
    await client.ended(json.id);
    await first.end();
    await receiver.start();

    const second = await startBridge({ cwd });
    const report: unknown = await (await fetch(`${second.address}/v1/diagnostics`)).json();
    const lines = second.stderr().split('\n');
    await second.end();
    await stateOf(cwd).query('UPDATE webhook SET due = 0 WHERE due IS NOT NULL');
    await startBridge({ cwd, env, set });
    await until(() => receiver.received.length === 1);

    expect(report).toMatchObject({ webhooks: { enabled: false, pending: 1 } });
    const warned = lines.filter((line) => line.includes('"webhooks_waiting"'));
    expect(warned.map((line) => JSON.parse(line))).toMatchObject([{ level: 'WARN', pending: 1 }]);
  });

  it.each([
    ['another host', { url: 'https://evil.test/' }, 'url', 'host_not_allowed'],
    ['another port', { url: 'http://127.0.0.1:1/' }, 'url', 'host_not_allowed'],
    ['http beyond loopback', { url: 'http://hooks.test/' }, 'url', 'not_an_https_url'],
    ['credentials', { url: 'https://user:word@hooks.test/' }, 'url', 'user_info_in_url'],
    ['2,049 characters', { url: 'https://hooks.test/'.padEnd(2049, 'a') }, 'url', undefined],
    ['a number', { url: 7 }, 'url', undefined],
    ['no address', {}, 'url', undefined],
    ['an unknown field', { url: 'https://hooks.test/', secret: 'mine' }, 'secret', undefined],
    ['no events', { url: 'https://hooks.test/', events: [] }, 'events', undefined],
    [
      'an unknown event',
      { url: 'https://hooks.test/', events: ['queued'] },
      'events[0]',
      undefined,
    ],
  ])('with %s are rejected, and no job is created', async (_what, webhook, field, code) => {
    const bridge = await startBridge(webhookSettings('hooks.test'));
    const client = await createJobClient(bridge);

    const { status, json } = await client.post({ prompt: 'a boat', webhook });

    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(json.error.param).toBe(`webhook.${field}`);
    const { issues } = json.error.bridge_ext.details;
    expect(issues).toMatchObject([{ field: `webhook.${field}`, ...(code && { code }) }]);
    expect((await client.get('/v1/jobs')).json.items).toEqual([]);
  });

  it('are rejected while webhooks are off', async () => {
    const client = await createJobClient(await startBridge());

    const { status, json } = await client.post({
      prompt: 'a boat',
      webhook: { url: 'https://hooks.test/' },
    });

    expect(status).toBe(422);
    expect(json.error.bridge_ext.details).toMatchObject({
      issues: [{ field: 'webhook', code: 'webhooks_disabled' }],
    });
  });

  it.each([
    [
      'no secret',
      ['server.webhooks.enabled=true'],
      {},
      'server.webhooks.secret_env (--set): must be set',
    ],
    [
      'a secret that is none',
      webhookSettings('hooks.test').set,
      { HOOK_SECRET: 'too-simple' },
      'server.webhooks.secret_env: a secret in the variable is not "whsec_"',
    ],
    [
      'a default address that is not allowed',
      [...webhookSettings('hooks.test').set, 'server.webhooks.default_url=https://evil.test/'],
      { HOOK_SECRET: SECRET },
      'server.webhooks.default_url (--set): must have a host that is listed in server.webhooks.allowed_hosts',
    ],
  ])('prevent the start of a bridge with %s', async (_what, set, env, message) => {
    const argv = ['quickstart', ...set.flatMap((one) => ['--set', one])];

    const { code, stderr } = await runProgram(argv, await freshFolder(), env);

    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('too-simple');
  });

  it('are accepted by the receiver in the documentation', async () => {
    const text = await readFile(DOCUMENT, 'utf8');
    const source = /```js\n(?<code>.+?)```/s.exec(text)?.groups?.['code'] ?? '';
    expect(source.trimEnd().split('\n')).toHaveLength(10);
    const port = await freePort();
    const documented = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      cwd: ROOT,
      env: { PORT: String(port), IMAGE_BRIDGE_WEBHOOK_SECRET: SECRET },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    documented.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    try {
      const url = `http://127.0.0.1:${port}/`;
      while (!(await fetch(url, { method: 'POST' }).catch(() => undefined))) await delay(5);
      const bridge = await startBridge(webhookSettings(`127.0.0.1:${port}`));
      const client = await createJobClient(bridge);

      const { json } = await client.post({ prompt: 'a boat', webhook: { url } });
      const job = await client.until(json.id, isDelivered);

      expect(job.webhook).toMatchObject({ attempts: 1, last_status: 204 });
      await expect.poll(() => printed).toBe(`job.succeeded ${job.id}\n`);
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
    } finally {
      documented.kill();
      await once(documented, 'close');
    }
  });
});
