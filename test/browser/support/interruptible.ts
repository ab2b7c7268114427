import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { PERMISSIONS } from '../../../lib/contract/request/caller.ts';
import { toTokensText } from '../../../lib/tokens/tokens-text.ts';
import { type Relay, startRelay } from '../../support/relay.ts';
import { freshFolder, type StartedBridge } from '../../support/start-bridge.ts';
import { startDashboard } from './dashboard.ts';
import { openPage } from './open-page.ts';
import { press } from './press.ts';

const TOKEN = 'token-of-the-only-person';
/** Another token of the same person, which is never disabled. */
export const NEXT_TOKEN = 'next-token-of-the-only-person';

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly prompt: string;
  readonly favorite: boolean;
  readonly deleted?: number;
  readonly labels?: readonly string[];
  readonly artifacts: readonly {
    readonly id: string;
    readonly favorite?: boolean;
    readonly hidden?: boolean;
    readonly note?: string;
  }[];
}

/** A service that requires a token, and the network to it. Both can be interrupted. */
export interface Interruptible {
  readonly relay: Relay;
  /** Opens the page behind the relay, with the token. */
  open(path?: string, options?: Parameters<typeof openPage>[1]): Promise<Page>;
  /** Sends a request of the only person to the service, past the relay, also while the token is disabled. */
  call(path: string, init?: { readonly method: string; readonly body: object }): Promise<unknown>;
  /** Returns the jobs that match a query, newest first. */
  jobs(query?: string): Promise<readonly Listed[]>;
  /** Sends jobs, and waits until they have ended. Resolves with their ids. */
  make(...requests: readonly object[]): Promise<readonly string[]>;
  kill(): Promise<void>;
  /** Starts the service again, with the same state and at the same port. */
  start(): Promise<void>;
  /** Disables the token, or enables it again. */
  setToken(isEnabled: boolean): Promise<void>;
}

/** Starts a service with these settings, and a relay in front of it. */
export async function startInterruptible(set: readonly string[] = []): Promise<Interruptible> {
  const cwd = await freshFolder();
  await writeTokens(cwd, true);
  const options = { cwd, set: ['server.tokens_file=tokens.toml', ...set] };
  let bridge: StartedBridge = await startDashboard(options);
  const { port } = bridge;
  const relay = await startRelay(port);

  let isEnabled = true;

  async function call(path: string, init?: { readonly method: string; readonly body: object }) {
    const reply = await fetch(bridge.address + path, {
      headers: {
        authorization: `Bearer ${isEnabled ? TOKEN : NEXT_TOKEN}`,
        'content-type': 'application/json',
      },
      ...(init && { method: init.method, body: JSON.stringify(init.body) }),
    });
    if (!reply.ok) throw new Error(`HTTP ${reply.status}: ${await reply.text()}`);
    return reply.json();
  }

  return {
    relay,
    call,
    open: (path = '/dashboard', opening = {}) =>
      openPage(relay.address, {
        path,
        session: { 'image-bridge.token': TOKEN },
        expects: [/./],
        ...opening,
      }),
    async jobs(query = '') {
      const page = await call(`/v1/jobs?limit=100&visibility=all&${query}`);
      return (page as { readonly items: readonly Listed[] }).items;
    },
    async make(...requests) {
      const ids: string[] = [];
      for (const body of requests) {
        ids.push(((await call('/v1/jobs', { method: 'POST', body })) as { id: string }).id);
      }
      for (const id of ids) await call(`/v1/jobs/${id}?wait_ms=30000`);
      return ids;
    },
    async kill() {
      await bridge.end('SIGKILL');
    },
    async start() {
      bridge = await startDashboard({ ...options, port });
    },
    setToken(enables) {
      isEnabled = enables;
      return writeTokens(cwd, enables);
    },
  };
}

async function writeTokens(folder: string, isEnabled: boolean): Promise<void> {
  const toToken = (id: string, token: string, disabled: boolean) => ({
    id,
    name: id,
    sha256: createHash('sha256').update(token).digest('hex'),
    scope: 'person',
    disabled,
    permissions: PERMISSIONS,
  });
  const text = toTokensText([
    toToken('person', TOKEN, !isEnabled),
    toToken('person-next', NEXT_TOKEN, false),
  ]);
  // The service must not read a file that is only partly written.
  const file = join(folder, 'tokens.toml');
  await writeFile(`${file}.next`, text, { mode: 0o600 });
  await rename(`${file}.next`, file);
}

/** An interruption of the service, in the middle of a part of the page. */
export interface Interruption {
  /** The end of a sentence about the page. */
  readonly name: string;
  begin(service: Interruptible, page: Page): Promise<void>;
  /** Waits until the page says in words that it is interrupted. */
  said(page: Page): Promise<void>;
  /** Ends the interruption, and waits until the page is connected again. */
  end(service: Interruptible, page: Page): Promise<void>;
}

const offline = (page: Page) => page.getByRole('button', { name: 'Offline' }).first().waitFor();
const connected = (page: Page) =>
  page.getByRole('button', { name: 'Offline' }).first().waitFor({ state: 'detached' });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'This bridge requires a token' });

export const KILLED: Interruption = {
  name: 'the server was killed',
  begin: (service) => service.kill(),
  said: offline,
  async end(service, page) {
    await service.start();
    await connected(page);
  },
};

export const CUT: Interruption = {
  name: 'the network was cut',
  async begin({ relay }) {
    relay.cut();
  },
  said: offline,
  async end({ relay }, page) {
    relay.restore();
    await connected(page);
  },
};

export const OFFLINE: Interruption = {
  name: 'the browser lost its network',
  async begin(_service, page) {
    await page.context().setOffline(true);
  },
  said: offline,
  async end(_service, page) {
    await page.context().setOffline(false);
    await connected(page);
  },
};

export const REVOKED: Interruption = {
  name: 'the token was revoked',
  begin: (service) => service.setToken(false),
  said: (page) => dialog(page).waitFor(),
  async end(service, page) {
    await service.setToken(true);
    // The page asks again by itself, so nobody types the token again.
    await dialog(page).waitFor({ state: 'detached' });
    await connected(page);
  },
};

/**
 * Presses a button that marks an image while the token is revoked, even if the dialog covers the button. Resolves when the bridge
 * has rejected the mark.
 */
export async function pressRejected(page: Page, button: Locator): Promise<void> {
  await Promise.all([
    // The page may also plan its draft with a POST.
    page.waitForResponse((reply) => reply.status() === 401 && reply.request().method() === 'PATCH'),
    press(button),
  ]);
}
