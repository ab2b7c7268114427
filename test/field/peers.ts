import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageVersion } from '../../local-runtime/server/package-version.ts';
import { providerSettings } from '../e2e/providers/openai-images-rig.ts';
import { freePort } from '../support/free-port.ts';
import type { ImagesUpstream } from '../support/images-upstream/images-upstream.ts';
import { startBridge } from '../support/start-bridge.ts';

/** A server that forwards requests of OpenAI's images API to the upstream. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /** The command that starts the server, as a reader would type it. */
  readonly command: string;
  /** The address before `/images/generations`. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
  stop(): Promise<void>;
}

const LITELLM = '1.108.7';
const PORTKEY = '1.15.2';
const FOLDER = process.env['FIELD_FOLDER'] ?? join(tmpdir(), 'image-bridge-field');
/** A peer starts within seconds, and within minutes on a busy machine. */
const START_MS = 1_200_000;
const MASTER_KEY = 'sk-a-made-up-key-of-the-bench-0123456789';

export type PeerId = 'bridge' | 'litellm' | 'portkey';

/** The peers in the order of the table. Each function installs its peer if needed, and starts the peer in front of the upstream. */
export const PEERS: ReadonlyMap<PeerId, (upstream: ImagesUpstream) => Promise<Peer>> = new Map([
  ['bridge', startOwn],
  ['litellm', startLitellm],
  ['portkey', startPortkey],
] as const);

async function startOwn(upstream: ImagesUpstream): Promise<Peer> {
  const bridge = await startBridge({
    command: 'serve',
    env: { OWN_KEY: upstream.key() ?? '' },
    set: [
      'default_provider=own',
      'providers.agent_responses.enabled=false',
      ...providerSettings('own', upstream, { image_model: 'gpt-image-1.5' }),
      // The peers have no limits and no breaker either.
      'runtime.global.max_concurrent=64',
      'runtime.providers.own.max_concurrent=64',
      'runtime.circuit_breaker.enabled=false',
    ],
  });
  return {
    name: 'Image Bridge',
    version: packageVersion(),
    command: 'image-bridge serve',
    baseUrl: `${bridge.address}/v1`,
    headers: {},
    pid: bridge.child.pid ?? 0,
    stop: async () => void (await bridge.end()),
  };
}

async function startLitellm(upstream: ImagesUpstream): Promise<Peer> {
  const folder = join(FOLDER, `litellm-${LITELLM}`);
  const program = join(folder, 'bin', 'litellm');
  if (!existsSync(program)) {
    run('python3', ['-m', 'venv', folder]);
    run(join(folder, 'bin', 'pip'), ['install', '--quiet', `litellm[proxy]==${LITELLM}`]);
  }
  const models = upstream.models.map((model) => ({
    model_name: model,
    litellm_params: {
      model: `openai/${model}`,
      api_base: upstream.baseUrl,
      api_key: upstream.key(),
    },
  }));
  const configuration = join(FOLDER, 'litellm.yaml');
  await mkdir(FOLDER, { recursive: true });
  // JSON is YAML.
  await writeFile(configuration, JSON.stringify({ model_list: models }));
  const port = await freePort();
  const words = ['--config', configuration, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(program, words, {
    stdio: 'ignore',
    env: {
      ...process.env,
      LITELLM_MASTER_KEY: MASTER_KEY,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
  });
  return started(child, `http://127.0.0.1:${port}/health/liveliness`, {
    name: 'LiteLLM proxy',
    version: LITELLM,
    command: 'litellm --config litellm.yaml',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    headers: { authorization: `Bearer ${MASTER_KEY}` },
  });
}

async function startPortkey(upstream: ImagesUpstream): Promise<Peer> {
  const folder = join(FOLDER, `portkey-${PORTKEY}`);
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(program)) {
    await mkdir(folder, { recursive: true });
    run('npm', ['install', '--silent', '--prefix', folder, `@portkey-ai/gateway@${PORTKEY}`]);
  }
  const port = await freePort();
  const child = spawn(process.execPath, [program, `--port=${port}`, '--headless'], {
    stdio: 'ignore',
    // The gateway rejects addresses of this machine unless they are listed.
    env: { ...process.env, TRUSTED_CUSTOM_HOSTS: 'localhost,127.0.0.1' },
  });
  return started(child, `http://127.0.0.1:${port}/`, {
    name: 'Portkey gateway',
    version: PORTKEY,
    command: 'npx @portkey-ai/gateway',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    headers: {
      authorization: `Bearer ${upstream.key()}`,
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': upstream.baseUrl,
    },
  });
}

/** Waits until the server replies. */
async function started(
  child: ChildProcess,
  probe: string,
  peer: Omit<Peer, 'pid' | 'stop'>,
): Promise<Peer> {
  for (const endMs = performance.now() + START_MS; ; await delay(200)) {
    const isUp = await fetch(probe).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null || performance.now() > endMs) {
      child.kill();
      throw new Error(`${peer.name} does not start`);
    }
  }
  return {
    ...peer,
    pid: child.pid ?? 0,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

function run(program: string, words: readonly string[]): void {
  const { status } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} has failed`);
}
