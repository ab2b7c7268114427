import { utimes } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/platform/clock.ts';
import { recordPath, writeRecord } from '../../../local-runtime/gateway/handoff/handoff-record.ts';
import { freePort } from '../../support/free-port.ts';
import { requestRaw } from '../../support/raw-http.ts';
import { startRig, startSlot, stopAll } from './gateway-rig.ts';

afterEach(stopAll);

describe('the health routes of a gateway', () => {
  it('are served below /health/ without reaching a slot', async () => {
    const blue = await startSlot('blue');
    const { url } = await startRig({ blue }, 'hold');
    const get = async (path: string, method = 'GET') => {
      const reply = await fetch(`${url}${path}`, { method });
      expect(reply.headers.get('x-request-id')).toMatch(/./);
      return [reply.status, method === 'HEAD' ? '' : ((await reply.json()) as object)];
    };

    expect(await get('/health/live?x=y')).toEqual([200, { status: 'live' }]);
    expect(await get('/health/ready')).toEqual([200, { status: 'ready' }]);
    expect(await get('/health/ready', 'HEAD')).toEqual([200, '']);
    expect(await get('/health/gateway')).toEqual([
      200,
      { target: 'hold', held: 0, in_flight: 0, hold_ms: 60_000 },
    ]);
    expect((await get('/health/other'))[0]).toBe(404);
    expect((await get('/health/live', 'POST'))[0]).toBe(405);
    expect(blue.requests).toEqual([]);
  });

  it('are also served if the request target is an absolute URL', async () => {
    const blue = await startSlot('blue');
    const { port } = await startRig({ blue });
    const head = 'Host: a\r\nConnection: close\r\n\r\n';

    const [live, other] = [
      await requestRaw(port, `GET http://a/health/live HTTP/1.1\r\n${head}`),
      await requestRaw(port, `GET http://a/b/health/live HTTP/1.1\r\n${head}`),
    ];

    expect([live.text, other.text]).toEqual(['{"status":"live"}', 'blue']);
    expect(blue.requests.map(({ url }) => url)).toEqual(['http://a/b/health/live']);
  });

  it('report readiness immediately after a switch, before the slot has been probed', async () => {
    const blue = await startSlot('blue');
    const { url, point, state } = await startRig({ blue }, 'hold', { probeMs: 3_600_000 });

    await point('blue');
    await expect.poll(async () => (await state()).target).toBe('blue');

    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  });

  it('report readiness while the active slot is ready or requests are held', async () => {
    const blue = await startSlot('blue');
    const { url, point } = await startRig({ blue });
    const ready = async () => (await fetch(`${url}/health/ready`)).status;

    await expect.poll(ready).toBe(200);
    await blue.stop();
    await expect.poll(ready).toBe(503);
    await point('hold');
    await expect.poll(ready).toBe(200);
  });

  it('are its own metrics, on an address of their own', async () => {
    const blue = await startSlot('blue');
    const metricsPort = await freePort();
    const { url } = await startRig({ blue }, 'blue', {
      metricsBind: { host: '127.0.0.1', port: metricsPort },
    });
    await fetch(`${url}/a`);
    await fetch(`${url}/metrics`);

    const reply = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);

    const text = await reply.text();
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toContain('image_bridge_gateway_replies_total{source="blue",status="200"} 2');
    expect(text).toContain('image_bridge_gateway_target{target="blue"} 1');
    expect(text).toContain('image_bridge_gateway_target{target="hold"} 0');
    expect(blue.requests.map((request) => request.url)).toEqual(['/a', '/metrics']);
  });

  it('say whether a handoff runs, by the last sign of life in its record', async () => {
    const metricsPort = await freePort();
    const metricsBind = { host: '127.0.0.1', port: metricsPort };
    const { coordination } = await startRig({}, 'hold', { metricsBind });
    const record = recordPath(coordination);
    const handoffRuns = async () => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return /^image_bridge_gateway_handoff_runs (\d)$/m.exec(text)?.[1];
    };

    const before = await handoffRuns();
    await writeRecord(record, { from: 'blue', to: 'green', direction: 'forward' });
    const during = await handoffRuns();
    const longAgoSecs = systemClock.nowMs() / 1000 - 60;
    await utimes(record, longAgoSecs, longAgoSecs);

    expect([before, during, await handoffRuns()]).toEqual(['0', '1', '0']);
  });
});
