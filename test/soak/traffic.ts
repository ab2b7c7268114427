import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { createJobClient, type JobClient, type Reply } from '../e2e/jobs/jobs-rig.ts';
import { BEHAVIOUR_NAMES } from '../support/images-upstream/behaviours/behaviours.ts';
import { INITIALIZE } from '../support/mcp-initialize.ts';
import type { Seeded } from '../support/seeded.ts';
import type { StartedBridge } from '../support/start-bridge.ts';
import type { Services } from './services.ts';

const MAX_KEPT = 200;
const PAUSE_MS = 300;
const JOB_MS = 180_000;
const AGENT_FAULTS = [
  '',
  '',
  '',
  '[[no-image]]',
  '[[crash=turn]]',
  '[[garbage]]',
  '[[noise]]',
] as const;
const SANDBOX_MODELS = [
  'sandbox-image',
  'sandbox-image',
  'sandbox-basic',
  'sandbox-flaky',
  'sandbox-fail-upstream',
  'sandbox-fail-timeout',
] as const;

/** The part of a path that differs from request to request. */
const VARIABLE = /[0-9a-f-]{32,36}|preset-\d+/;

/** The traffic of one token so far. */
export interface Traffic {
  readonly latenciesMs: number[];
  /** Replies by route and status. */
  readonly counts: Map<string, number>;
  readonly violations: string[];
  /** Reasons of broken connections. An idle connection may be closed while the client sends its next request (RFC 9112, 9.5). */
  readonly cuts: string[];
  /** Images that the token has received. */
  received: number;
  /** Jobs that were accepted, with the sum of their webhooks. */
  accepted: number;
}

interface Deps {
  readonly bridge: StartedBridge;
  readonly token: string;
  readonly seeded: Seeded;
  readonly services: Services;
}

/** Creates one client that sends requests of all kinds with one token until the signal aborts. */
export async function createTraffic({ bridge, token, seeded, services }: Deps) {
  const client = await createJobClient(bridge, token);
  const traffic: Traffic = {
    latenciesMs: [],
    counts: new Map(),
    violations: [],
    cuts: [],
    received: 0,
    accepted: 0,
  };
  const jobs: string[] = [];
  const artifacts: { readonly id: string; readonly sha256: string }[] = [];
  let nth = 0;

  function body(): { readonly prompt: string } & Readonly<Record<string, unknown>> {
    nth += 1;
    const name = `${token.slice(-4)} ${nth}`;
    const parameters = { size: '256x256' };
    switch (seeded.next(6)) {
      case 0: {
        const behaviour = seeded.pick(['succeed', ...BEHAVIOUR_NAMES]);
        const routing = { provider: 'own' };
        return { prompt: `[[fail:${behaviour}]] ${name}`, routing };
      }
      case 1:
        return { prompt: name, routing: { provider: 'own' } };
      case 2: {
        services.tasks.forPrompt(name, taskFault(seeded));
        return { prompt: name, routing: { provider: 'flux' } };
      }
      case 3:
        return {
          prompt: `${seeded.pick(AGENT_FAULTS)} ${name}`,
          routing: { provider: 'agent-app-server' },
        };
      default:
        return { prompt: name, parameters, routing: { model: seeded.pick(SANDBOX_MODELS) } };
    }
  }

  async function send(method: string, target: string, sent: Parameters<JobClient['send']>[2] = {}) {
    const beganMs = performance.now();
    const reply = await client.send(method, target, sent);
    traffic.latenciesMs.push(performance.now() - beganMs);
    const route = `${method} ${target.replace(/\?.*/, '').replace(VARIABLE, '{}')}`;
    const key = `${route} ${reply.status}`;
    traffic.counts.set(key, (traffic.counts.get(key) ?? 0) + 1);
    if (reply.json?.error?.code === 'internal') throw new Error(`${key}: an internal failure`);
    return reply;
  }

  /** Checks the checksum and the pixels of an image. */
  async function verify(bytes: Buffer, sha256: string): Promise<void> {
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== sha256) throw new Error('an image has another checksum');
    await sharp(bytes, { failOn: 'warning' }).stats();
  }

  async function create(): Promise<void> {
    const { status, json } = await send('POST', '/v1/images', { body: body() });
    if (status !== 200) return;
    for (const { b64_json, sha256 } of json.data) {
      traffic.received += 1;
      await verify(Buffer.from(b64_json, 'base64'), sha256);
    }
  }

  async function submit(isCancelled: boolean): Promise<void> {
    const webhook = { url: services.receiver.url };
    const { status, json } = await send('POST', '/v1/jobs', { body: { ...body(), webhook } });
    if (status !== 202) return;
    traffic.accepted += 1;
    if (isCancelled) await send('DELETE', `/v1/jobs/${json.id}`);
    const ended = await untilEnded(json.id);
    jobs.push(json.id);
    if (jobs.length > MAX_KEPT) jobs.shift();
    for (const { id, sha256 } of ended.result?.data ?? []) {
      traffic.received += 1;
      artifacts.push({ id, sha256 });
      const { bytes } = await send('GET', `/v1/artifacts/${id}`);
      await verify(bytes, sha256);
    }
    if (artifacts.length > MAX_KEPT) artifacts.splice(0, artifacts.length - MAX_KEPT);
  }

  async function untilEnded(id: string): Promise<Reply['json']> {
    for (const beganMs = performance.now(); performance.now() - beganMs < JOB_MS; ) {
      const { json } = await client.get(`/v1/jobs/${id}?wait_ms=10000`);
      if (json.completed !== undefined) return json;
    }
    throw new Error('a job does not end');
  }

  async function stream(): Promise<void> {
    await client.send('POST', '/v1/images/stream', { body: body() });
  }

  async function openAi(): Promise<void> {
    const sent = { prompt: `openai ${nth}`, model: 'sandbox-image', size: '256x256' };
    const { status, json } = await send('POST', '/v1/images/generations', { body: sent });
    if (status === 200) traffic.received += json.data.length;
  }

  async function edit(): Promise<void> {
    const raw = { width: 96, height: 96, channels: 3, background: '#345' } as const;
    const data = (await sharp({ create: raw }).png().toBuffer()).toString('base64');
    const images = [{ type: 'base64', data }];
    const sent = { ...body(), operation: 'edit', images };
    const { status, json } = await send('POST', '/v1/images', { body: sent });
    if (status === 200) traffic.received += json.data.length;
  }

  async function disconnect(): Promise<void> {
    const signal = AbortSignal.timeout(seeded.next(200));
    await fetch(`${bridge.address}/v1/images`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body()),
      signal,
    }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
  }

  async function read(): Promise<void> {
    const job = jobs[seeded.next(jobs.length + 1)];
    const artifact = artifacts[seeded.next(artifacts.length + 1)]?.id;
    const targets = [
      '/health/live',
      '/health/ready',
      '/v1/models',
      '/v1/models/sandbox-image',
      '/v1/openapi.json',
      '/dashboard',
      '/v1/providers',
      '/v1/providers/own/capabilities',
      '/v1/usage',
      '/v1/queue',
      '/v1/queue/jobs',
      '/v1/diagnostics',
      '/v1/jobs?limit=20',
      '/v1/jobs?q=1',
      '/v1/presets',
      '/metrics',
      ...(job === undefined
        ? []
        : [
            `/v1/jobs/${job}`,
            `/v1/jobs/${job}/family`,
            `/v1/jobs/${job}/derived`,
            `/v1/jobs/${job}/events`,
            `/v1/jobs/${job}/partial`,
            `/v1/jobs/${job}/inputs/0`,
          ]),
      ...(artifact === undefined
        ? []
        : [`/v1/artifacts/${artifact}/thumbnail`, `/v1/artifacts/${artifact}/credentials`]),
    ];
    await send('GET', targets[seeded.next(targets.length)] ?? '/health/live');
  }

  async function change(): Promise<void> {
    const name = `preset-${seeded.next(20)}`;
    const template = { parameters: { size: '256x256' } };
    await send('POST', '/v1/presets', { body: { name, template } });
    await send('PUT', `/v1/presets/${name}`, { body: { template } });
    await send('GET', `/v1/presets/${name}`);
    if (seeded.next(2) === 0) await send('DELETE', `/v1/presets/${name}`);
    await send('PATCH', '/v1/queue', { body: { paused: false } });
    const job = jobs[seeded.next(jobs.length + 1)];
    if (job === undefined) return;
    await send('PATCH', `/v1/jobs/${job}`, { body: { priority: seeded.next(10) } });
    if (seeded.next(4) === 0) await send('POST', `/v1/jobs/${job}/retry`);
  }

  async function agentTools(): Promise<void> {
    const response = await fetch(`${bridge.address}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(INITIALIZE),
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`POST /mcp replies ${response.status}`);
  }

  const actions = [
    ...[create, create, create, openAi, edit, stream, disconnect, change, agentTools],
    ...[read, read, read, read, read, read],
    ...[() => submit(false), () => submit(false), () => submit(false), () => submit(true)],
    () => send('POST', '/v1/plan', { body: body() }),
  ] as const;

  return {
    traffic,
    client,
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        try {
          await seeded.pick(actions as unknown as [() => Promise<unknown>])();
        } catch (error) {
          const { stack, cause } = error instanceof Error ? error : new Error(String(error));
          if (cause === undefined) traffic.violations.push(stack ?? '');
          else traffic.cuts.push(String(cause));
        }
        await delay(seeded.next(PAUSE_MS));
      }
    },
  };
}

function taskFault(seeded: Seeded) {
  return seeded.pick([
    {},
    {},
    {},
    { submission: 'server_error' },
    { submission: 'made_cut' },
    { submission: 'rate_limited' },
    { reads: ['html_502', 'cut'] },
    { end: 'failed' },
    { end: 'moderated' },
    { image: 'expired' },
  ] as const);
}
