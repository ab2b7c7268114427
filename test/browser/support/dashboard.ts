import { agentSettings } from '../../e2e/providers/agent-responses-rig.ts';
import {
  createResponsesUpstream,
  type ResponsesUpstream,
} from '../../support/responses-upstream/responses-upstream.ts';
import { freshFolder, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

interface Options {
  /** The bearer token that the bridge requires. */
  readonly token?: string;
  readonly set?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The state directory of an earlier bridge, which is started again. */
  readonly cwd?: string;
  /** Port to listen on. By default a free one. */
  readonly port?: number;
  /**
   * True to add the provider `agent-responses` with the emulator as its backend. The sandbox stays the default
   * provider.
   */
  readonly withAgent?: boolean;
}

const emulators: ResponsesUpstream[] = [];

/** Starts the service like `npm start`, with the sandbox as its provider. */
export async function startDashboard(options: Options = {}): Promise<StartedBridge> {
  const { token, cwd, port, set = [], env = {}, withAgent = false } = options;
  return startBridge({
    command: 'quickstart',
    ...(cwd === undefined ? {} : { cwd }),
    ...(port === undefined ? {} : { port }),
    env: { ...env, ...(token === undefined ? {} : { DASHBOARD_TOKEN: token }) },
    set: [
      ...(token === undefined ? [] : ['server.bearer_token_env=DASHBOARD_TOKEN']),
      ...(withAgent ? await emulatedAgent() : ['providers.agent_responses.enabled=false']),
      ...set,
    ],
  });
}

/** Starts a bridge again on the same port and with the same state. */
export async function restart(bridge: StartedBridge, options: Options = {}) {
  await bridge.end();
  return startDashboard({ ...options, cwd: bridge.cwd, port: bridge.port });
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
