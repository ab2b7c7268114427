import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../../lib/config/load-config.ts';
import type { Config } from '../../../../lib/config/settings/settings.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { createHttpClient } from '../../../../lib/net/http-client.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { enabledProviders } from '../../../../lib/providers/enabled-providers.ts';
import type {
  Provider,
  ProviderEvent,
  ProviderRequest,
} from '../../../../lib/providers/provider-port.ts';
import { createResponsesUpstream } from '../../../support/responses-upstream/responses-upstream.ts';
import { slices } from '../../../support/slices.ts';

const STAND_IN = fileURLToPath(new URL('../../../support/agent-child/main.ts', import.meta.url));

export type ChildRig = Awaited<ReturnType<typeof openChildRig>>;

interface StagedFile {
  readonly path: string;
  readonly mode: number;
  readonly base64: string;
}

/** The record that one process of the stand-in has written. */
export interface ChildLog {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly grandchild: number | undefined;
  /** The messages that the process received, in order. */
  // Each test knows the messages that it requested.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly received: readonly any[];
  /** The files of each turn as they were when the turn began. */
  readonly staged: readonly (readonly StagedFile[])[];
}

interface Options {
  /** Arguments of the stand-in: test/support/agent-child/settings.ts. */
  readonly args?: readonly string[];
  /** Settings in the form of `--set`. */
  readonly set?: readonly string[];
  /** The folder of an earlier rig. */
  readonly folder?: string;
}

/** Returns the settings with which a bridge starts the stand-in with the login in this folder. */
export function childSettings(home: string, args: readonly string[]): string[] {
  return [
    'providers.agent_app_server.enabled=true',
    `providers.agent_app_server.executable=${process.execPath}`,
    `providers.agent_app_server.args=${JSON.stringify([STAND_IN, ...args])}`,
    `providers.agent_app_server.home=${home}`,
    'providers.agent_app_server.restart_backoff_ms=1',
  ];
}

/** Creates the provider as the program builds it, with a stand-in for the agent and a login of the emulator. */
export async function openChildRig({ args = [], set = [], folder }: Options = {}) {
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'agent-child-')));
  const [home, log, state] = ['login', 'log', 'state'].map((name) => join(root, name));
  if (!home || !log || !state) throw new Error('three names give three paths');
  const upstream = await createResponsesUpstream({ imageBytes: 40_000 });
  await upstream.writeLogin(home);
  const config = await configOf(root, [
    'providers.agent_responses.enabled=false',
    'default_provider=agent-app-server',
    `providers.agent_responses.token_endpoint=${upstream.tokenUrl}`,
    ...childSettings(home, ['--log', log, ...args]),
    `state.directory=${state}`,
    ...set,
  ]);
  const clock = systemClock;
  const httpClient = createHttpClient();
  const engine = createImageEngine({ limits: config.images, clock, slices });
  const ids = createIds(clock.nowMs);
  const env = { PATH: process.env['PATH'], IMAGE_BRIDGE_TOKEN: 'a-secret-of-the-bridge' };
  const enabled = enabledProviders(config, { engine, httpClient, slices, clock, ids, env });
  const [provider] = enabled.providers;
  if (!provider) throw new Error('agent-app-server is not enabled');

  return {
    root,
    home,
    upstream,
    provider,
    agentHome: join(state, 'agent-app-server', 'home'),
    work: join(state, 'agent-app-server', 'work'),

    /** All processes that were started, ordered by id. */
    async children(): Promise<readonly ChildLog[]> {
      const names = existsSync(log) ? await readdir(log) : [];
      const pids = names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
      return Promise.all(pids.map((pid) => readLog(join(log, `${pid}.jsonl`))));
    },

    /** The input files and thread marks that exist now. */
    async leftovers(): Promise<readonly string[]> {
      const kept = join(state, 'agent-app-server');
      if (!existsSync(kept)) return [];
      const entries = await readdir(kept, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(kept.length + 1))
        .filter((path) => !path.endsWith('models_cache.json'));
    },

    async close({ keepsFolder = false } = {}): Promise<void> {
      await provider.close();
      await enabled.close();
      await httpClient.close();
      await engine.close();
      await upstream.close();
      await chmod(root, 0o700);
      if (!keepsFolder) await rm(root, { recursive: true, force: true });
    },
  };
}

/** Runs one call and records its events. */
export function run(
  { provider }: { readonly provider: Provider },
  request: ProviderRequest,
  signal = new AbortController().signal,
) {
  const events: ProviderEvent[] = [];
  const result = provider.execute(request, {
    requestId: 'a-request',
    attempt: 1,
    signal,
    onEvent: (event) => events.push(event),
    accepted: async () => false,
    billedAs: () => {},
    remainingMs: () => 60_000,
  });
  const failure = result.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { result, failure, events };
}

/** Returns the parameters of all requests with this method, over all processes. */
export async function paramsOf(rig: Pick<ChildRig, 'children'>, method: string) {
  const messages = (await rig.children()).flatMap(({ received }) => received);
  return messages.filter((message) => message.method === method).map(({ params }) => params);
}

/** Returns true if a process with this id exists and has not ended. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return !/\) Z /.test(status);
}

export async function readLog(path: string): Promise<ChildLog> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line));
  const started = entries.find(({ pid }) => pid !== undefined) ?? {};
  return {
    ...started,
    grandchild: entries.find(({ grandchild }) => grandchild !== undefined)?.grandchild,
    received: entries.flatMap(({ received }) => received ?? []),
    staged: entries.flatMap(({ staged }) => (staged ? [staged] : [])),
  };
}

async function configOf(cwd: string, set: readonly string[]): Promise<Config> {
  const loaded = await loadConfig({ env: {}, cwd, set });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.config;
}
