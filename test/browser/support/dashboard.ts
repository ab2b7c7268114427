import { agentSettings } from '../../e2e/providers/agent-responses-rig.ts';
import {
  createResponsesUpstream,
  type ResponsesUpstream,
} from '../../support/responses-upstream/responses-upstream.ts';
import { freshFolder, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

interface Options {
  /** Asks for this bearer token. */
  readonly token?: string;
  readonly set?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The state of an earlier bridge, to start it again. */
  readonly cwd?: string;
  /** Adds the provider `agent-responses`, with the emulator as its backend. The sandbox stays the default provider. */
  readonly withAgent?: boolean;
}

const emulators: ResponsesUpstream[] = [];

/** Starts the service as `npm start` does, on a free port, with the sandbox as provider. */
export async function startDashboard(options: Options = {}): Promise<StartedBridge> {
  const { token, cwd, set = [], env = {}, withAgent = false } = options;
  return startBridge({
    command: 'quickstart',
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...env, ...(token === undefined ? {} : { DASHBOARD_TOKEN: token }) },
    set: [
      ...(token === undefined ? [] : ['server.bearer_token_env=DASHBOARD_TOKEN']),
      ...(withAgent ? await emulatedAgent() : ['providers.agent_responses.enabled=false']),
      ...set,
    ],
  });
}

/** Starts a bridge again where it was, on the same port and with its state. */
export async function restart(bridge: StartedBridge, options: Options = {}) {
  await bridge.end();
  const set = [...(options.set ?? []), `server.bind=127.0.0.1:${bridge.port}`];
  return startDashboard({ ...options, cwd: bridge.cwd, set });
}

async function emulatedAgent(): Promise<string[]> {
  const home = await freshFolder();
  const upstream = await createResponsesUpstream();
  emulators.push(upstream);
  await upstream.writeLogin(home);
  return [...agentSettings(upstream, home), 'default_provider=sandbox'];
}

export async function closeEmulators(): Promise<void> {
  await Promise.all(emulators.splice(0).map((upstream) => upstream.close()));
}
