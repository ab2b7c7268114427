import { readFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { createAdmission } from '../../lib/admission/admission.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import { createPrometheusMetrics } from '../../lib/metrics/prometheus-metrics.ts';
import { ROOT } from '../conformance/sources.ts';
import { startReceiver, webhookSettings } from '../e2e/jobs/webhook-receiver.ts';
import { parseExposition } from '../lib/metrics/exposition.ts';
import { countedElsewhere } from '../lib/metrics/runtime-report.ts';
import { childSettings } from '../lib/providers/agent-app-server/child-rig.ts';
import { createImage } from '../support/create-image.ts';
import { freePort } from '../support/free-port.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { isInstalled, runTool } from '../support/outside-tools.ts';
import { createResponsesUpstream } from '../support/responses-upstream/responses-upstream.ts';
import {
  canBind,
  cleanUp,
  freshFolder,
  launchProgram,
  type StartedBridge,
  startBridge,
} from '../support/start-bridge.ts';

const ALERTS = `${ROOT}infra/monitoring/alerts.yaml`;
const hasPrometheus = await isInstalled('promtool', ['--version']);
const hasLimits = (await runTool('prlimit', ['--version'])).code === 0;
const METRICS = 'server.metrics.enabled=true';
const SMALL = { prompt: 'a kite', parameters: { size: '64x64' } };
const STORED = { ...SMALL, output: { response_format: 'artifact' } };

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
  await cleanUp();
});

/** Two scrapes: before a fault and after it. Undefined if there was no reply. */
interface Scrapes {
  readonly job: 'image-bridge' | 'image-bridge-gateway';
  readonly before: string;
  readonly after: string | undefined;
}

const scrape = (url: string) =>
  fetch(url).then(
    (reply) => reply.text(),
    () => undefined,
  );

/** Scrapes a bridge around a fault. */
async function around(bridge: StartedBridge, fault: () => Promise<unknown>): Promise<Scrapes> {
  const url = `${bridge.address}/metrics`;
  const before = (await scrape(url)) ?? '';
  await fault();
  return { job: 'image-bridge', before, after: await scrape(url) };
}

async function bridgeWith(...set: readonly string[]): Promise<StartedBridge> {
  return startBridge({ set: [METRICS, ...set] });
}

const post = (bridge: StartedBridge, path: string, body: object, method = 'POST') =>
  fetch(bridge.address + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const rehearse = (bridge: StartedBridge, failure: string) =>
  createImage(bridge, { ...SMALL, routing: { model: `sandbox-fail-${failure}` } });

async function untilScrape(bridge: StartedBridge, pattern: RegExp): Promise<void> {
  await expect
    .poll(() => scrape(`${bridge.address}/metrics`), { timeout: 60_000 })
    .toMatch(pattern);
}

async function storedName(bridge: StartedBridge): Promise<{ id: string; path: string }> {
  const { json } = await createImage(bridge, STORED);
  const [image] = json.data;
  if (image?.type !== 'artifact') throw new Error('the reply has no artifact');
  return { id: image.id, path: join(bridge.cwd, 'data/artifacts', image.name) };
}

async function startGateway(target: string, slot: string) {
  const cwd = await freshFolder();
  await writeFile(join(cwd, 'target'), `${target}\n`);
  const metrics = `127.0.0.1:${await freePort()}`;
  const slots = ['--blue', slot, '--green', 'http://127.0.0.1:9', '--metrics-bind', metrics];
  const argv = ['gateway', '--bind', '127.0.0.1:0', '--coordination', 'target', ...slots];
  const { child, output } = launchProgram(argv, cwd);
  ends.push(() => child.kill('SIGKILL'));
  await expect.poll(() => output.stdout, { timeout: 30_000 }).toContain('listens on');
  return {
    cwd,
    child,
    url: `http://${metrics}/metrics`,
    address: /listens on (\S+)/.exec(output.stdout)?.[1] ?? '',
  };
}

/** The fault that makes each alert fire. */
const FAULTS: Readonly<Record<string, () => Promise<Scrapes>>> = {
  async ImageBridgeDown() {
    const bridge = await bridgeWith();
    return around(bridge, () => bridge.end('SIGKILL'));
  },
  async ImageBridgeCircuitOpen() {
    const bridge = await bridgeWith(
      'runtime.circuit_breakers.sandbox.enabled=true',
      'runtime.circuit_breakers.sandbox.failure_threshold=2',
    );
    return around(bridge, async () => {
      for (let call = 0; call < 2; call += 1) await rehearse(bridge, 'upstream');
    });
  },
  async ImageBridgeLoginRefused() {
    const bridge = await bridgeWith();
    return around(bridge, () => rehearse(bridge, 'authentication'));
  },
  async ImageBridgeOperationsFail() {
    const bridge = await bridgeWith();
    return around(bridge, () => rehearse(bridge, 'upstream'));
  },
  async ImageBridgeServerErrors() {
    const bridge = await bridgeWith();
    const { id, path } = await storedName(bridge);
    return around(bridge, async () => {
      await rm(path);
      await fetch(`${bridge.address}/v1/artifacts/${id}`);
    });
  },
  async ImageBridgeNotReady() {
    const bridge = await startBridge({ bound: true, set: [METRICS] });
    await storedName(bridge);
    return around(bridge, async () => {
      await chmod(join(bridge.cwd, 'data/artifacts/.staging'), 0o555);
      await untilScrape(bridge, /^image_bridge_ready 0$/m);
    });
  },
  async ImageBridgeStoreRefuses() {
    const bridge = await bridgeWith();
    return around(bridge, async () => {
      // No file of the process grows from here on, as on a full disk.
      await runTool('prlimit', ['--pid', String(bridge.child.pid), '--fsize=1:1']);
      expect((await post(bridge, '/v1/jobs', SMALL)).status).toBe(503);
    });
  },
  async ImageBridgeQueueFull() {
    const full = ['runtime.global.max_concurrent=1', 'runtime.global.max_queued=0'];
    const bridge = await bridgeWith(...full, 'providers.sandbox.latency_ms=3000');
    return around(bridge, async () => {
      const replies = await Promise.all([createImage(bridge, SMALL), createImage(bridge, SMALL)]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 503]);
    });
  },
  async ImageBridgeQueueSlow() {
    const loaded = await loadConfig({ env: {}, cwd: await freshFolder() });
    if (!loaded.ok) throw new Error('the defaults are invalid');
    const { runtime } = loaded.config;
    const clock = createManualClock();
    const metrics = await createPrometheusMetrics({ version: '1', providers: [], routes: [] });
    const admission = createAdmission({
      runtime: { ...runtime, global: { max_concurrent: 1, max_queued: 1 } },
      clock,
      providers: [],
      hooks: { onTransition: () => {}, onRejection: () => {} },
    });
    const { signal } = new AbortController();
    const before = await metrics.exposition(countedElsewhere());
    const first = await admission.enterOperation(signal, () => {}, false);
    const waiting = admission.enterOperation(signal, () => {}, false);
    await clock.advance(90_000);
    first.release();
    metrics.queued({ durationMs: (await waiting).waitedMs });
    return { job: 'image-bridge', before, after: await metrics.exposition(countedElsewhere()) };
  },
  async ImageBridgeJobsWait() {
    const bridge = await bridgeWith();
    return around(bridge, async () => {
      await post(bridge, '/v1/queue', { paused: true }, 'PATCH');
      await post(bridge, '/v1/jobs', SMALL);
    });
  },
  async ImageBridgeTaskFails() {
    const first = await bridgeWith();
    await storedName(first);
    const before = (await scrape(`${first.address}/metrics`)) ?? '';
    await first.end();
    const root = join(first.cwd, 'data/artifacts');
    await rename(root, `${root} elsewhere`);
    await mkdir(root);
    const bridge = await startBridge({ cwd: first.cwd, set: [METRICS] });
    await untilScrape(bridge, /task_failures_total\{task="artifact-reten/);
    return { job: 'image-bridge', before, after: await scrape(`${bridge.address}/metrics`) };
  },
  async ImageBridgeArtifactDamaged() {
    const bridge = await bridgeWith();
    const { id, path } = await storedName(bridge);
    return around(bridge, async () => {
      await writeFile(path, 'damaged');
      await fetch(`${bridge.address}/v1/artifacts/${id}`);
    });
  },
  async ImageBridgeProviderRestarts() {
    const upstream = await createResponsesUpstream({ imageBytes: 40_000 });
    ends.push(upstream.close);
    const [home, log] = [await freshFolder(), await freshFolder()];
    await upstream.writeLogin(home);
    const bridge = await startBridge({
      command: 'serve',
      set: [
        METRICS,
        'default_provider=agent-app-server',
        `providers.agent_responses.home=${home}`,
        `providers.agent_responses.token_endpoint=${upstream.tokenUrl}`,
        ...childSettings(home, ['--log', log]),
      ],
    });
    return around(bridge, async () => {
      await createImage(bridge, { prompt: 'a fox [[crash=started]]' });
      await createImage(bridge, { prompt: 'a fox' });
    });
  },
  async ImageBridgeWebhooksFail() {
    const receiver = await startReceiver(() => 410);
    ends.push(receiver.kill);
    const { set, env } = webhookSettings(receiver.host);
    const bridge = await startBridge({ env, set: [METRICS, ...set] });
    return around(bridge, async () => {
      const webhook = { url: receiver.url, events: ['succeeded'] };
      await post(bridge, '/v1/jobs', { ...SMALL, webhook });
      await untilScrape(bridge, /webhook_deliveries_total\{result="failed"\} 1/);
    });
  },
  async ImageBridgeGatewayDown() {
    const { child, url } = await startGateway('blue', 'http://127.0.0.1:8');
    const before = (await scrape(url)) ?? '';
    child.kill('SIGKILL');
    await expect.poll(() => scrape(url)).toBeUndefined();
    return { job: 'image-bridge-gateway', before, after: undefined };
  },
  ImageBridgeGatewayHolds: holdWithoutHandoff,
  ImageBridgeGatewayHoldsAlone: holdWithoutHandoff,
  async ImageBridgeGatewayRefuses() {
    const { url, address } = await startGateway('blue', `http://127.0.0.1:${await freePort()}`);
    const before = (await scrape(url)) ?? '';
    await fetch(`${address}/v1/providers`);
    return { job: 'image-bridge-gateway', before, after: await scrape(url) };
  },
};

/** Leaves a gateway on hold, as a handoff that was killed does. */
async function holdWithoutHandoff(): Promise<Scrapes> {
  const { url, cwd } = await startGateway('blue', 'http://127.0.0.1:8');
  const before = (await scrape(url)) ?? '';
  await writeFile(join(cwd, 'new'), 'hold\n');
  await rename(join(cwd, 'new'), join(cwd, 'target'));
  await expect.poll(() => scrape(url)).toMatch(/gateway_target\{target="hold"\} 1/);
  return { job: 'image-bridge-gateway', before, after: await scrape(url) };
}

const NEEDS: Readonly<Record<string, boolean>> = {
  ImageBridgeNotReady: canBind,
  ImageBridgeStoreRefuses: hasLimits,
};

/** The series of an hour in which the fault happens every minute. */
function toSeries({ job, before, after }: Scrapes) {
  const up = { series: `up{job="${job}",instance="a"}`, values: `${after ? 1 : 0}x60` };
  const earlier = valuesOf(before);
  const later = [...valuesOf(after ?? before)].map(([series, { value, grows }]) => {
    const since = value - (earlier.get(series)?.value ?? 0);
    // Smaller than before after a new start.
    const step = since < 0 ? value : since;
    return { series, values: grows ? `${value - step}+${step}x60` : `${value}x60` };
  });
  return after === undefined ? [up] : [up, ...later];
}

function valuesOf(text: string) {
  const families = text === '' ? [] : [...parseExposition(text).values()];
  return new Map(
    families.flatMap(({ type, samples }) =>
      samples.map(({ name, labels, value }) => {
        const pairs = Object.entries({ instance: 'a', ...labels });
        const series = `${name}{${pairs.map(([key, text]) => `${key}=${JSON.stringify(text)}`)}}`;
        return [series, { value, grows: type !== 'gauge' }] as const;
      }),
    ),
  );
}

/** The names of the alerts that fire. */
async function firing(scrapes: Scrapes, names: readonly string[]): Promise<readonly string[]> {
  const fired: string[] = [];
  for (const name of names) {
    const file = join(await freshFolder(), 'test.yaml');
    const expr = `sgn(count(ALERTS{alertname="${name}",alertstate="firing"}))`;
    const test = {
      interval: '1m',
      input_series: toSeries(scrapes),
      promql_expr_test: [{ expr, eval_time: '50m', exp_samples: [{ labels: '{}', value: 1 }] }],
    };
    const suite = { rule_files: [ALERTS], evaluation_interval: '1m', tests: [test] };
    await writeFile(file, stringify(suite));
    const { code, output } = await runTool('promtool', ['test', 'rules', file]);
    if (code === 0) fired.push(name);
    else expect(output).toContain('got: nil');
  }
  return fired;
}

const RULES: { groups: { rules: { alert: string }[] }[] } = parse(readFileSync(ALERTS, 'utf8'));
const NAMES = RULES.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

describe.runIf(hasPrometheus)('the alerts', () => {
  it('have a fault each', () => {
    expect(Object.keys(FAULTS).sort()).toEqual([...NAMES].sort());
  });

  it('do not fire for a bridge that works', { timeout: 120_000 }, async () => {
    const bridge = await bridgeWith();

    const scrapes = await around(bridge, () => createImage(bridge, STORED));

    expect(await firing(scrapes, NAMES)).toEqual([]);
  });

  for (const [name, makeFault] of Object.entries(FAULTS)) {
    it.runIf(NEEDS[name] ?? true)(`${name} fires by its fault`, { timeout: 120_000 }, async () => {
      const scrapes = await makeFault();

      expect(await firing(scrapes, [name])).toEqual([name]);
      // A full disk is no full queue.
      if (name === 'ImageBridgeStoreRefuses') {
        expect(await firing(scrapes, ['ImageBridgeQueueFull'])).toEqual([]);
      }
    });
  }
});
