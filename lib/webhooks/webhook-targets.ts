import type { Config } from '../config/settings/settings.ts';
import { isLoopbackHost } from '../config/values/addresses.ts';
import { JOB_ENDS, type Webhook } from '../contract/resources/job.ts';
import { invalidField } from '../contract/schema/issues.ts';
import type { WebhookTarget } from './webhook-store-port.ts';

type Settings = Pick<Config['server']['webhooks'], 'enabled' | 'default_url' | 'allowed_hosts'>;

/** The reasons why a URL is not allowed. The names are part of the API: the `code` of an invalid field. */
const FAULTS = {
  control_character: 'must not contain a control character',
  not_a_url: 'must be a URL',
  not_an_https_url: 'must be https, or http on loopback',
  user_info_in_url: 'must not contain a user name or a password',
  host_not_allowed: 'must have a host that server.webhooks.allowed_hosts lists',
};

type UrlFault = keyof typeof FAULTS;

export type WebhookTargets = ReturnType<typeof createWebhookTargets>;

/** Selects the webhooks of new jobs. */
export function createWebhookTargets({ enabled, default_url, allowed_hosts }: Settings) {
  const byDefault: WebhookTarget | undefined =
    enabled && default_url !== undefined ? { url: default_url, events: [...JOB_ENDS] } : undefined;

  return {
    /**
     * Returns the webhook for a new job: the requested webhook, or the default if none is requested. Throws `invalid_request`
     * if the requested webhook is not allowed.
     */
    toTarget(named: Webhook | undefined): WebhookTarget | undefined {
      if (named === undefined) return byDefault;
      if (!enabled)
        throw invalidField('webhook', 'webhooks_disabled', 'must be absent: webhooks are off');
      const checked = toWebhookUrl(named.url, allowed_hosts);
      if (checked.ok) return named;
      throw invalidField('webhook.url', checked.fault, FAULTS[checked.fault]);
    },

    /**
     * Returns the webhook for the retry of a job: the webhook of the earlier job, else the default. Returns undefined if there is
     * neither.
     */
    toRetryTarget(earlier: WebhookTarget | undefined): WebhookTarget | undefined {
      if (!earlier || !enabled) return byDefault;
      // The address is not checked here because it is checked before each attempt.
      return { url: earlier.url, events: earlier.events };
    },
  };
}

type CheckedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly fault: UrlFault };

// The WHATWG URL parser removes tabs and newlines, so the requested URL would differ from the given text.
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Parses the URL of a webhook and checks that the URL is allowed. Hosts are compared with their ports, exactly in the form that
 * the WHATWG URL parser returns.
 */
export function toWebhookUrl(text: string, allowedHosts: readonly string[]): CheckedUrl {
  if (CONTROL_CHARACTER.test(text)) return { ok: false, fault: 'control_character' };
  if (!URL.canParse(text)) return { ok: false, fault: 'not_a_url' };
  const url = new URL(text);
  const isPlain = url.protocol === 'http:' && isLoopbackHost(hostOf(url));
  if (url.protocol !== 'https:' && !isPlain) return { ok: false, fault: 'not_an_https_url' };
  if (url.username !== '' || url.password !== '') return { ok: false, fault: 'user_info_in_url' };
  const isAllowed = allowedHosts.some((host) => host.toLowerCase() === url.host);
  return isAllowed ? { ok: true, url } : { ok: false, fault: 'host_not_allowed' };
}

/** Returns the host name of a URL, with an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
