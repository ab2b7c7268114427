import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createReplyChecker } from '../../support/reply-checker.ts';
import {
  createResponsesUpstream,
  type ResponsesUpstream,
  type UpstreamOptions,
} from '../../support/responses-upstream/responses-upstream.ts';
import { freshFolder, startBridge } from '../../support/start-bridge.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // Each test knows the shape of its reply. The checker compares the reply with the OpenAPI document.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly json: any;
}

interface Options extends UpstreamOptions {
  /** Further settings of the bridge. */
  readonly set?: readonly string[];
}

export type AgentBridge = Awaited<ReturnType<typeof startAgentBridge>>;

/** Returns the arguments with which a bridge calls this upstream with the login in this folder. */
export function agentSettings({ url, tokenUrl }: ResponsesUpstream, home: string): string[] {
  return [
    'default_provider=agent-responses',
    `providers.agent_responses.endpoint=${url}`,
    `providers.agent_responses.token_endpoint=${tokenUrl}`,
    `providers.agent_responses.home=${home}`,
    'providers.agent_responses.transient_backoff_ms=1',
    // Tests cause many failures in a row, so the breaker must stay closed.
    'runtime.circuit_breaker.enabled=false',
  ];
}

/** Starts the program and the emulator of its backend, and records all output of the program. */
export async function startAgentBridge({ set = [], ...options }: Options = {}) {
  const home = await freshFolder();
  const upstream = await createResponsesUpstream(options);
  await upstream.writeLogin(home);
  const bridge = await startBridge({
    command: 'serve',
    set: [...agentSettings(upstream, home), ...set],
  });
  const document = await (await fetch(`${bridge.address}/v1/openapi.json`)).json();
  // Other tests check these replies. Here they only have to be objects.
  const checker = createReplyChecker(document as Record<string, unknown>);
  const said: string[] = [];

  async function get(path: string): Promise<Reply> {
    const response = await fetch(bridge.address + path);
    const text = await response.text();
    said.push(text);
    const { status } = response;
    return { status, headers: Object.fromEntries(response.headers), json: toJson(text) };
  }

  return {
    bridge,
    upstream,
    home,
    get,

    /** Requests images and checks the reply against the OpenAPI document. The signal disconnects the client. */
    async create(body: object, signal?: AbortSignal): Promise<Reply> {
      const response = await fetch(`${bridge.address}/v1/images`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: signal ?? null,
      });
      const headers = Object.fromEntries(response.headers);
      const text = await response.text();
      const json = toJson(text);
      checker.check({ method: 'POST', path: '/v1/images' }, response.status, headers, json);
      if (response.status >= 400) said.push(text, JSON.stringify(headers));
      return { status: response.status, headers, json };
    },

    /** Returns the number of calls of the backend during `work`. */
    async callsDuring<T>(work: () => Promise<T>): Promise<readonly [result: T, calls: number]> {
      const before = upstream.calls.length;
      const result = await work();
      return [result, upstream.calls.length - before];
    },

    /** Returns everything that the program has written, except images, by location. */
    async traces(): Promise<ReadonlyMap<string, string>> {
      const traces = new Map<string, string>();
      traces.set('standard output', bridge.stdout());
      traces.set('standard error', bridge.stderr());
      traces.set('replies', said.join('\n'));
      const names = await readdir(bridge.cwd, { recursive: true, withFileTypes: true });
      for (const entry of names.filter((one) => one.isFile())) {
        const file = join(entry.parentPath, entry.name);
        traces.set(file.slice(bridge.cwd.length + 1), await readFile(file, 'latin1'));
      }
      return traces;
    },

    close: () => upstream.close(),
  };
}

function toJson(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : undefined;
}
