import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { type Call, createCalls } from '../upstream/calls.ts';
import { closeUpstream } from '../upstream/close-upstream.ts';
import { createImages } from '../upstream/images.ts';
import { listen } from '../upstream/listener.ts';
import { accountRoutes } from './agent/account-routes.ts';
import { createImagesEndpoint } from './agent/images-endpoint.ts';
import { type Account, createLogin } from './login.ts';
import { imageModels } from './models.ts';
import { createResponsesEndpoint } from './responses-endpoint.ts';
import { createResponsesScript, type Step } from './script.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';
import type { TokenBehaviourName } from './token-behaviours.ts';
import { createTokenEndpoint } from './token-endpoint.ts';
import { writeLogin } from './write-login.ts';

export interface UpstreamOptions extends Partial<Settings> {
  /** Port to listen on. 0 for a free port. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly account?: Partial<Account>;
  /** Lifetime of an access token. */
  readonly accessLifeMs?: number;
  readonly originator?: string;
  readonly responsesModels?: readonly string[];
  /** Image models in addition to the known models. */
  readonly moreImageModels?: readonly string[];
  /** True if `calls` contains the request bodies. */
  readonly keepsBodies?: boolean;
  readonly onEnd?: (call: Call) => void;
}

const HOUR_MS = 3_600_000;
const ACCOUNT_BASE = '/backend-api';
const BASE = `${ACCOUNT_BASE}/codex`;
const RESPONSES_PATH = `${BASE}/responses`;
const TOKEN_PATH = '/oauth/token';

const ACCOUNT: Account = {
  email: 'someone@example.com',
  plan: 'pro',
  accountId: 'acc-5f1c0a6e-made-up',
  userId: 'user-made-up',
};

export type ResponsesUpstream = Awaited<ReturnType<typeof createResponsesUpstream>>;

/** Starts an emulator of the backend and of its token endpoint on 127.0.0.1. */
export async function createResponsesUpstream(options: UpstreamOptions = {}) {
  const {
    port = 0,
    clock = systemClock,
    account = {},
    accessLifeMs = HOUR_MS,
    originator = 'image-bridge',
    responsesModels = ['gpt-5.5'],
    moreImageModels = [],
    keepsBodies = true,
    onEnd = () => undefined,
    ...changes
  } = options;
  const settings = { ...DEFAULT_SETTINGS, ...changes };
  const ids = createIds(clock.nowMs);
  const login = createLogin({ clock, ids, account: { ...ACCOUNT, ...account }, accessLifeMs });
  const calls = createCalls({ clock, keepsBodies, onEnd });
  const script = createResponsesScript(settings);
  const tokens = createTokenEndpoint({
    clock,
    login,
    silenceMs: settings.silenceMs,
    onFailure: calls.fail,
    onChange: calls.wake,
  });
  const images = createImages();
  const responses = createResponsesEndpoint({
    clock,
    ids,
    login,
    script,
    calls,
    originator,
    responsesModels,
    images,
    settings,
    imageModels: imageModels(moreImageModels),
  });

  const imageCalls = createImagesEndpoint({ clock, login, images, calls, settings });
  const routes = {
    [`POST ${RESPONSES_PATH}`]: responses,
    [`POST ${BASE}/images/generations`]: imageCalls,
    [`POST ${BASE}/images/edits`]: imageCalls,
    [`POST ${TOKEN_PATH}`]: tokens.reply,
    ...accountRoutes(login),
  };
  const listener = await listen({ port, routes, onChange: calls.wake });
  const origin = `http://127.0.0.1:${listener.port}`;

  return {
    port: listener.port,
    url: `${origin}${RESPONSES_PATH}`,
    /** Addresses for the agent: of its model, of its image tool and of its account. */
    baseUrl: `${origin}${BASE}`,
    accountBaseUrl: `${origin}${ACCOUNT_BASE}`,
    tokenUrl: `${origin}${TOKEN_PATH}`,

    /** Queues the behaviours of the next calls. A rejected call uses none. */
    script: (...steps: readonly Step[]) => script.add(steps),
    /** Queues the behaviours of the next refreshes. */
    scriptToken: (...names: readonly TokenBehaviourName[]) => tokens.script(names),
    /** Sets the behaviour of a call without a queued behaviour and without a marker in its prompt. */
    setDefaultBehaviour: script.setDefault,

    /** Content of `auth.json` for the current tokens. */
    loginFile: login.file,
    /** Writes `auth.json` into this folder with mode 0600. */
    writeLogin: (home: string) => writeLogin(home, login.file()),
    accountId: login.account.accountId,
    /** The current tokens. */
    tokens: login.tokens,
    signInAgain: login.renew,
    expireAccessToken: login.expireAccess,
    revokeAccessToken: login.revokeAccess,
    spoilRefreshToken: login.spoilRefresh,

    /** Every call of the backend, in the order of arrival. */
    get calls() {
      return calls.all();
    },
    /** Every well-formed request for new tokens. */
    get refreshes() {
      return tokens.refreshes();
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
        refreshCalls: tokens.refreshes().length,
        refreshes: tokens.refreshes().filter(({ hasIssued }) => hasIssued).length,
      };
    },
    /** Resolves as soon as the predicate is true. The predicate is checked after every change. */
    until: calls.until,

    /** Resolves when no call is running. Throws errors of the emulator itself. */
    close: () => closeUpstream(listener, calls),
  };
}
