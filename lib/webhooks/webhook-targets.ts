import type { Config } from '../config/settings/settings.ts';
import { JOB_ENDS, type Webhook } from '../contract/resources/job.ts';
import { invalidField } from '../contract/schema/issues.ts';
import type { WebhookTarget } from './webhook-store-port.ts';
import { toWebhookUrl, type UrlFault } from './webhook-url.ts';

type Settings = Pick<Config['server']['webhooks'], 'enabled' | 'default_url' | 'allowed_hosts'>;

const FAULTS: Readonly<Record<UrlFault, string>> = {
  control_character: 'must hold no control character',
  not_a_url: 'must be a URL',
  not_an_https_url: 'must be https, or http on loopback',
  user_info_in_url: 'must hold no user name and no password',
  host_not_allowed: 'must have a host that server.webhooks.allowed_hosts lists',
};

export type WebhookTargets = ReturnType<typeof createWebhookTargets>;

/** Where the ends of new jobs are sent. */
export function createWebhookTargets({ enabled, default_url, allowed_hosts }: Settings) {
  const byDefault: WebhookTarget | undefined =
    enabled && default_url !== undefined ? { url: default_url, events: [...JOB_ENDS] } : undefined;

  return {
    /** For a job that names a webhook or none. Throws `invalid_request` for one that is not allowed. */
    toTarget(named: Webhook | undefined): WebhookTarget | undefined {
      if (named === undefined) return byDefault;
      if (!enabled)
        throw invalidField('webhook', 'webhooks_disabled', 'must be absent: they are off');
      const checked = toWebhookUrl(named.url, allowed_hosts);
      if (checked.ok) return named;
      throw invalidField('webhook.url', checked.fault, FAULTS[checked.fault]);
    },

    /** For a retry of a job with this webhook, or with none. */
    toRetryTarget(earlier: WebhookTarget | undefined): WebhookTarget | undefined {
      if (!earlier || !enabled) return byDefault;
      // Whether it is still allowed is checked before each attempt.
      return { url: earlier.url, events: earlier.events };
    },
  };
}
