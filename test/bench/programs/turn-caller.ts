import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { createHttpClient } from '../../../lib/net/http-client.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { enabledProviders } from '../../../lib/providers/enabled-providers.ts';
import { applyHeapSettings } from '../../../local-runtime/server/memory-settings.ts';
import { slices } from '../../support/slices.ts';
import { IMAGE_REQUEST } from './image-request.ts';
import { programOptions } from './measured-server.ts';
import { meterOf } from './stream-meter.ts';

/** Generates images by turns of a stand-in for the agent, through the provider or with the smallest possible client. */
export interface CallerOptions {
  /** Folder with a login, in which the files of the agent are created. */
  readonly home: string;
  readonly tokenUrl: string;
  readonly edgePx: number;
  readonly kind: 'provider' | 'plain';
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly item?: { readonly result?: string } };
  readonly result?: { readonly thread?: { readonly id: string } };
}

const options = programOptions<CallerOptions>();
const STAND_IN = fileURLToPath(new URL('../../support/agent-child/main.js', import.meta.url));
const ARGS = [STAND_IN, '--edge', String(options.edgePx)];

applyHeapSettings();
meterOf(options.kind === 'provider' ? await throughProvider() : plainly());

async function throughProvider(): Promise<() => Promise<void>> {
  const loaded = await loadConfig({
    env: {},
    cwd: options.home,
    set: [
      'default_provider=agent-app-server',
      'providers.agent_responses.enabled=false',
      `providers.agent_responses.token_endpoint=${options.tokenUrl}`,
      'providers.agent_app_server.enabled=true',
      `providers.agent_app_server.home=${options.home}`,
      `providers.agent_app_server.executable=${process.execPath}`,
      `providers.agent_app_server.args=${JSON.stringify(ARGS)}`,
    ],
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const clock = systemClock;
  const { providers } = enabledProviders(loaded.config, {
    engine: createImageEngine({ limits: loaded.config.images, clock, slices }),
    httpClient: createHttpClient(),
    slices,
    clock,
    ids: createIds(clock.nowMs),
    env: {},
  });
  return async () => {
    await providers[0]?.execute(IMAGE_REQUEST, {
      requestId: 'a-request',
      attempt: 1,
      signal: new AbortController().signal,
      onEvent: () => undefined,
      accepted: async () => false,
      billedAs: () => {},
      remainingMs: () => 60_000,
    });
  };
}

/** Runs one turn after the other, each on a thread of its own. The image is decoded without checks. */
function plainly(): () => Promise<void> {
  const env = { CODEX_HOME: options.home };
  const { stdin, stdout } = spawn(process.execPath, [...ARGS, 'app-server'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const expected = new Map<number | string, (message: Message) => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    const message: Message = JSON.parse(line);
    expected.get(message.id ?? message.method ?? '')?.(message);
  });
  const next = (what: number | string) =>
    new Promise<Message>((resolve) => expected.set(what, resolve));
  let calls = 0;
  const call = (method: string, params: object) => {
    const id = calls;
    calls += 1;
    stdin.write(`${JSON.stringify({ id, method, params })}\n`);
    return next(id);
  };
  const started = call('initialize', {});
  return async () => {
    await started;
    const { result } = await call('thread/start', {});
    const image = next('item/completed');
    const end = next('turn/completed');
    const input = [{ type: 'text', text: IMAGE_REQUEST.prompt }];
    await call('turn/start', { threadId: result?.thread?.id, input });
    Buffer.from((await image).params?.item?.result ?? '', 'base64');
    await end;
  };
}
