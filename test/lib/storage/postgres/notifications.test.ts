import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JobNotice } from '../../../../lib/jobs/job-notices-port.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createNotifications } from '../../../../lib/storage/postgres/notifications.ts';
import { query } from '../../../support/engines/postgres-server.ts';
import { emptySchema, HAS_POSTGRES } from '../../../support/postgres.ts';
import { openTestDatabase } from './test-database.ts';

const NEVER_MS = 3_600_000;

type Options = Parameters<typeof createNotifications>[0];

/** Opens notifications, and keeps what they publish. */
async function openNotifications(options: Partial<Options> = {}) {
  const { url, schema } = await emptySchema();
  const seen: JobNotice[] = [];
  const failures: unknown[] = [];
  const opened = createNotifications({
    ...{ url, schema, owner: 'this', wakeups: 'notify', pollMs: NEVER_MS, clock: systemClock },
    onFailure: (error) => void failures.push(error),
    ...options,
  });
  onTestFinished(opened.close);
  opened.notices.subscribe((notice) => void seen.push(notice));
  return {
    ...{ url, schema, seen, failures, opened },
    send: (...notices: readonly unknown[]) =>
      query(
        url,
        notices
          .map((notice) => `SELECT pg_notify('${schema}', '${JSON.stringify(notice)}')`)
          .join(';'),
      ),
    count: (type: JobNotice['type']) => seen.filter((notice) => notice.type === type).length,
  };
}

/** Starts a proxy whose connections can be closed, or left open without passing anything on. */
async function startProxy(url: string) {
  const { port: serverPort, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(Number(serverPort), hostname);
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const proxied = new URL(url);
  proxied.port = String(port);
  return {
    url: proxied.href,
    cut,
    /** Passes nothing on any more through the open connections. */
    freeze(): void {
      for (const socket of sockets) socket.unpipe().pause();
      sockets.clear();
    },
  };
}

describe.runIf(HAS_POSTGRES)('createNotifications', () => {
  test('every notice of the channel is published, and nothing else', async () => {
    const { seen, send, count } = await openNotifications();
    await expect.poll(() => count('missed')).toBe(1);
    const notices: JobNotice[] = [
      { type: 'queued', count: 2, ownCount: 0 },
      { type: 'changed', scope: 'one' },
      { type: 'changed' },
      { type: 'cancelling', id: 'a' },
      { type: 'advanced', job: { id: 'a', scope: 'one', sequence: 7 } },
      { type: 'happened', id: 'a', event: { type: 'progress', stage: 'generating', index: 1 } },
      { type: 'ended', id: 'a' },
      { type: 'resumed' },
    ];

    await send('text', { type: 'of a newer version' }, ...notices);
    await expect.poll(() => count('resumed')).toBe(1);

    expect(seen.slice(1)).toEqual(notices);
  });

  test('a notice that this replica has sent to others is not published again', async () => {
    const { seen, send, count } = await openNotifications();
    await expect.poll(() => count('missed')).toBe(1);
    const ended = { type: 'ended', id: 'a' };

    await send({ ...ended, from: 'this' }, { ...ended, from: 'other' }, { type: 'resumed' });
    await expect.poll(() => count('resumed')).toBe(1);

    expect(seen.slice(1, -1)).toEqual([ended]);
  });

  test('subscribers read the store again after a lost connection', async () => {
    const { url } = await emptySchema();
    const proxy = await startProxy(url);
    const { send, count, failures } = await openNotifications({ url: proxy.url });
    await expect.poll(() => count('missed')).toBe(1);

    proxy.cut();
    await expect.poll(() => count('missed')).toBe(2);
    await send({ type: 'resumed' });

    await expect.poll(() => count('resumed')).toBe(1);
    expect(failures).toHaveLength(1);
  });

  test('a session that does not answer is replaced', { timeout: 20_000 }, async () => {
    const { url } = await emptySchema();
    const proxy = await startProxy(url);
    const { send, count } = await openNotifications({ url: proxy.url });
    await expect.poll(() => count('missed')).toBe(1);

    proxy.freeze();
    await expect.poll(() => count('missed'), { timeout: 15_000 }).toBe(2);
    await send({ type: 'resumed' });

    await expect.poll(() => count('resumed')).toBe(1);
  });

  test('subscribers read the store regularly if notifications do not arrive', async () => {
    const { count, send } = await openNotifications({ wakeups: 'poll', pollMs: 5 });

    await send({ type: 'resumed' });
    await expect.poll(() => count('missed')).toBeGreaterThan(2);

    expect(count('resumed')).toBe(0);
  });

  test('an unreachable server is reported once', async () => {
    const { failures, count } = await openNotifications({
      url: 'postgresql://nobody@127.0.0.1:1/none',
      pollMs: 5,
    });

    await expect.poll(() => count('missed')).toBeGreaterThan(20);

    expect(failures).toHaveLength(1);
  });
});

describe.runIf(HAS_POSTGRES)('createNotifications, wake-ups', () => {
  test('wakes the readers of a topic when the transaction of the sender is committed', async () => {
    const { opened, send, url, schema, count } = await openNotifications();
    const { wakeUps } = opened;
    const sender = await openTestDatabase({ url, schema });
    const woken: string[] = [];
    wakeUps.listen('mine', () => void woken.push('mine'));
    const stop = wakeUps.listen('mine', () => void woken.push('stopped'));
    wakeUps.listen('other', () => void woken.push('other'));
    stop();
    await expect.poll(() => count('missed')).toBe(1);
    woken.length = 0;

    const undone = sender.write(async (queries) => {
      await wakeUps.send(queries, 'other');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await sender.write((queries) => wakeUps.send(queries, 'mine'));
    await send({ type: 'resumed' });

    await expect.poll(() => count('resumed')).toBe(1);
    expect(woken).toEqual(['mine']);
  });

  test('wakes all readers when notifications may have been lost', async () => {
    const { opened, count } = await openNotifications({ pollMs: 20 });
    const woken: string[] = [];
    for (const topic of ['one', 'two']) opened.wakeUps.listen(topic, () => void woken.push(topic));

    await expect.poll(() => count('missed')).toBeGreaterThan(1);
    expect(woken).toEqual(expect.arrayContaining(['one', 'two']));
  });
});
