import { type Clock, sleep, systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { type Call, createCalls } from '../upstream/calls.ts';
import { closeUpstream } from '../upstream/close-upstream.ts';
import { createImages } from '../upstream/images.ts';
import { listen, type Routes } from '../upstream/listener.ts';
import { createCallHandler } from '../upstream/run-call.ts';
import { createScript, type Step } from '../upstream/script.ts';
import type { Behaviour } from './behaviours/behaviour.ts';
import { BEHAVIOURS, type BehaviourName } from './behaviours/behaviours.ts';
import { createCallInFlight, type Settings } from './call-in-flight.ts';
import { checkKey, checkRequest, checkToken } from './check-request.ts';
import { textOf } from './generate-request.ts';
import { refusalBody } from './google-refusal.ts';
import { createGoogleTokens } from './google-tokens.ts';

export interface GeminiOptions extends Partial<Settings> {
  /** Port to listen on. 0 for a free port. */
  readonly port?: number;
  readonly clock?: Clock;
  /** First key of the account. */
  readonly key?: string;
  /** The place of the models in Vertex AI. Without a place, the emulator is the Gemini API. */
  readonly vertex?: { readonly project: string; readonly location: string };
  /** Lifetime of access tokens. */
  readonly tokenLifeSecs?: number;
  /** True if no access token is accepted. */
  readonly areTokensRejected?: boolean;
  /** True if `calls` contains the request bodies. */
  readonly keepsBodies?: boolean;
  readonly onEnd?: (call: Call) => void;
}

const DEFAULT_SETTINGS: Settings = {
  imageBytes: 300_000,
  imageVariants: 32,
  format: 'png',
  chunks: 'events',
  chunkPauseMs: 0,
  silenceMs: 60_000,
};

export type GeminiUpstream = Awaited<ReturnType<typeof createGeminiUpstream>>;

/** Starts an emulator of `models.generateContent` of the Gemini API, or of Vertex AI, on 127.0.0.1. */
export async function createGeminiUpstream(options: GeminiOptions = {}) {
  const {
    port = 0,
    clock = systemClock,
    key = 'a-made-up-key',
    vertex,
    tokenLifeSecs = 3600,
    areTokensRejected = false,
    keepsBodies = true,
    onEnd = () => undefined,
    ...changes
  } = options;
  const settings = { ...DEFAULT_SETTINGS, ...changes };
  const ids = createIds(clock.nowMs);
  const calls = createCalls({ clock, keepsBodies, onEnd });
  const images = createImages();
  const script = createScript<BehaviourName, Behaviour, Settings>({
    behaviours: BEHAVIOURS,
    settings,
    promptField: 'contents[0].parts[0].text',
  });
  let keys: ReadonlySet<string> = new Set([key]);

  const generateContent = createCallHandler(
    calls,
    async (call) => {
      const { incoming, body, notify, signal } = call;
      const checked = checkRequest(incoming.url ?? '', incoming.headers, body, (headers) =>
        vertex
          ? checkToken(headers, (token) => !areTokensRejected && tokens.isValid(token))
          : checkKey(headers, keys),
      );
      const step = script.next(textOf(checked.request));
      notify({ behaviour: step.behaviour.name });
      if (step.delayMs > 0) await sleep(clock, step.delayMs, signal);
      const deps = { clock, ids, images, settings: step.settings, checked, call };
      await step.behaviour.run(await createCallInFlight(deps));
    },
    refusalBody,
  );
  const path = vertex
    ? `/v1beta1/projects/${vertex.project}/locations/${vertex.location}/publishers/google/models/*`
    : '/v1beta/models/*';
  const routes: Routes = {
    [`POST ${path}`]: generateContent,
    'POST /token': (incoming, response) => tokens.reply(incoming, response),
  };
  const listener = await listen({ port, routes, onChange: calls.wake });
  const url = `http://127.0.0.1:${listener.port}`;
  const tokens = createGoogleTokens({
    clock,
    ids,
    url: `${url}/token`,
    lifeSecs: tokenLifeSecs,
    onChange: calls.wake,
  });

  return {
    port: listener.port,
    /** Setting `base_url` for this server. */
    url,
    key,
    tokens,

    /** Replaces the accepted keys. */
    setKeys(...accepted: readonly string[]): void {
      keys = new Set(accepted);
    },
    /** Queues the behaviours of the next calls. A rejected call uses none. */
    script: (...steps: readonly Step<BehaviourName, Settings>[]) => script.add(steps),
    /** Sets the behaviour of a call without a queued behaviour and without a marker in its prompt. */
    setDefaultBehaviour: script.setDefault,

    /** Every call, in the order of arrival. */
    get calls() {
      return calls.all();
    },
    /** Method and path of every request without a matching route. */
    get unrouted() {
      return listener.unrouted();
    },
    counters: () => ({
      calls: calls.all().length,
      ...calls.byOutcome(),
      connections: listener.connections(),
    }),
    /** Resolves as soon as the predicate is true. The predicate is checked after every change. */
    until: calls.until,

    /** Resolves when no call is running. Throws errors of the emulator itself. */
    close: () => closeUpstream(listener, calls),
  };
}
