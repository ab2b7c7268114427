import type { Config } from '../config/settings/settings.ts';
import { isLoopbackHost } from '../config/values/addresses.ts';
import { isAllowedAddress } from '../net/allowed-address.ts';
import { createPinnedClients, type PinnedDeps } from '../net/pinned-client.ts';
import type { Clock } from '../platform/clock.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import { hostOf, toWebhookUrl } from './webhook-targets.ts';

interface Deps extends PinnedDeps {
  readonly settings: Pick<Config['server']['webhooks'], 'allowed_hosts' | 'allow_private_networks'>;
  readonly clock: Pick<Clock, 'after'>;
}

interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

// For the whole attempt: name lookup, connection and the head of the reply.
export const TIMEOUT_MS = 15_000;

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'image-bridge' };

/**
 * Resolves with the status of the reply. Its body is not read, and redirects are not followed. Resolves with undefined if no
 * reply arrives in time, or if the address is not allowed any more. Throws the reason of the signal if it aborts.
 */
export type PostWebhook = (
  url: string,
  message: WebhookMessage,
  signal: AbortSignal,
) => Promise<number | undefined>;

/** Sends messages to the hosts that the operator allows, on connections that are pinned to checked addresses. */
export function createPostWebhook({ settings, clock, ...pinned }: Deps): PostWebhook {
  const { allowed_hosts, allow_private_networks } = settings;
  const openPinned = createPinnedClients(pinned);

  async function post(text: string, { headers, body }: WebhookMessage, signal: AbortSignal) {
    const checked = toWebhookUrl(text, allowed_hosts);
    if (!checked.ok) return undefined;
    const { url } = checked;
    // A loopback name must resolve to a loopback address, and every other name must not (DNS rebinding).
    const isAllowed = isLoopbackHost(hostOf(url))
      ? isLoopbackHost
      : (address: string) =>
          isAllowedAddress(address, allow_private_networks) && !isLoopbackHost(address);
    const opened = await openPinned(url.hostname, isAllowed, signal);
    if (!opened.ok) return undefined;
    try {
      const sent = { method: 'POST', headers: { ...HEADERS, ...headers }, body, signal } as const;
      return (await opened.client.request(url.href, sent)).status;
    } finally {
      await opened.client.close();
    }
  }

  return async function postWebhook(url, message, signal) {
    signal.throwIfAborted();
    const within = linkSignal(signal);
    const cancel = clock.after(TIMEOUT_MS, () => within.abort(new Error('the webhook timed out')));
    try {
      return await post(url, message, within.signal);
    } catch {
      // Every failure of the receiver or of the network counts as an attempt.
      signal.throwIfAborted();
      return undefined;
    } finally {
      cancel();
      within.end();
    }
  };
}
