import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { type Call, createCalls } from '../upstream/calls.ts';
import { closeUpstream } from '../upstream/close-upstream.ts';
import { createImages } from '../upstream/images.ts';
import { type Handler, listen } from '../upstream/listener.ts';
import { Refusal } from '../upstream/refusal.ts';
import { createScript, type Step } from '../upstream/script.ts';
import type { Behaviour } from './behaviours/behaviour.ts';
import { BEHAVIOURS, type BehaviourName } from './behaviours/behaviours.ts';
import type { Account, Dialect } from './dialects/dialect.ts';
import { DIALECTS, type DialectName } from './dialects/dialects.ts';
import { createImagesEndpoint } from './images-endpoint.ts';
import { createResults, RESULTS_PATH } from './results.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';

export interface ImagesUpstreamOptions extends Partial<Settings> {
  readonly dialect?: DialectName;
  /** Port to listen on. 0 for a free port. */
  readonly port?: number;
  readonly clock?: Clock;
  /** Key that a request must present. By default the dialects with keys have one. */
  readonly key?: string;
  readonly organization?: string;
  readonly project?: string;
  /** True if `calls` contains the request bodies. */
  readonly keepsBodies?: boolean;
  readonly onEnd?: (call: Call) => void;
}

export type ImagesUpstream = Awaited<ReturnType<typeof createImagesUpstream>>;

/** Starts an emulator of the OpenAI images API, or of a compatible server, on 127.0.0.1. */
export async function createImagesUpstream(options: ImagesUpstreamOptions = {}) {
  const {
    dialect: name = 'openai',
    port = 0,
    clock = systemClock,
    key,
    organization,
    project,
    keepsBodies = true,
    onEnd = () => undefined,
    ...changes
  } = options;
  const dialect: Dialect = DIALECTS[name];
  const ids = createIds(clock.nowMs);
  const calls = createCalls({ clock, keepsBodies, onEnd });
  const settings = {
    ...DEFAULT_SETTINGS,
    framing: { ...DEFAULT_SETTINGS.framing, ...dialect.framing },
    ...changes,
  };
  const script = createScript<BehaviourName, Behaviour, Settings>({
    behaviours: BEHAVIOURS,
    settings,
    promptField: 'prompt',
  });
  const results = createResults(ids, calls.wake);
  let account: Account = {
    key: key ?? (dialect.hasKey ? `sk-made-up-${ids.newOpaqueId()}` : undefined),
    organization,
    project,
  };
  let origin = '';
  const endpoint = createImagesEndpoint({
    clock,
    ids,
    dialect,
    account: () => account,
    images: createImages(),
    results,
    calls,
    script,
    origin: () => origin,
  });
  const routes = Object.entries(dialect.routes).map(([path, operation]) => {
    return [`POST ${path}`, endpoint.handler(operation)] as const;
  });
  function replyBill({ reply }: NonNullable<Dialect['billing']>): Handler {
    return async ({ headers, url = '' }, response) => {
      const target = new URL(url, origin);
      const bill = endpoint.bills().find(({ id }) => id === target.searchParams.get('id'));
      const send = (status: number, json: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(json));
      };
      try {
        dialect.checkHead({ headers, url: target }, account);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        return send(thrown.status, dialect.toErrorBody(thrown));
      }
      if (bill) return send(200, reply(bill));
      send(404, { error: { code: 404, message: 'Generation not found' } });
    };
  }
  const documents = Object.entries(dialect.documents ?? {}).map(([path, document]) => {
    return [`GET ${path}`, replyDocument(document)] as const;
  });
  const listener = await listen({
    port,
    routes: {
      ...Object.fromEntries([...routes, ...documents]),
      ...(dialect.billing ? { [`GET ${dialect.billing.path}`]: replyBill(dialect.billing) } : {}),
      [`GET ${RESULTS_PATH}/*`]: results.reply,
    },
    takesQueries: true,
    onChange: calls.wake,
  });
  origin = `http://127.0.0.1:${listener.port}`;

  return {
    dialect: name,
    port: listener.port,
    origin,
    /** Setting `base_url` for this server. */
    baseUrl: `${origin}${dialect.basePath}`,
    models: dialect.models,
    key: () => account.key,
    /** Replaces the key. The previous key is rejected from now on. */
    renewKey(): string {
      const renewed = `sk-made-up-${ids.newOpaqueId()}`;
      account = { ...account, key: renewed };
      return renewed;
    },

    /** Queues the behaviours of the next calls. A rejected call uses none. */
    script: (...steps: readonly Step<BehaviourName, Settings>[]) => script.add(steps),
    /** Sets the behaviour of a call without a queued behaviour and without a marker in its prompt. */
    setDefaultBehaviour: script.setDefault,

    /** Every call, in the order of arrival. */
    get calls() {
      return calls.all();
    },
    /** The accepted requests, in the same order. */
    get accepted() {
      return endpoint.accepted();
    },
    /** The charges of the account. */
    get bills() {
      return endpoint.bills();
    },
    /** Every request for an image that a reply named by its URL. */
    get fetched() {
      return results.fetched();
    },
    /** Method and path of every request without a matching route. */
    get unrouted() {
      return listener.unrouted();
    },
    counters() {
      return {
        calls: calls.all().length,
        ...calls.byOutcome(),
        connections: listener.connections(),
        /** Number of finished images, which a caller pays for. */
        drawn: endpoint.drawn(),
      };
    },
    /** Returns the number of finished images of this prompt. */
    drawnFor: endpoint.drawnFor,
    /** Resolves as soon as the predicate is true. The predicate is checked after every change. */
    until: calls.until,

    /** Resolves when no call is running. Throws errors of the emulator itself. */
    close: () => closeUpstream(listener, calls),
  };
}

function replyDocument(document: unknown): Handler {
  return async (_incoming, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document));
  };
}
