import { enabledNames } from '../../../lib/config/settings/provider-names.ts';
import type { Config } from '../../../lib/config/settings/settings.ts';
import { toRequestLimits } from '../../../lib/contract/schema/request-limits.ts';
import { createAccess } from '../../../lib/http/access.ts';
import { createBodyBudget } from '../../../lib/http/body/body-budget.ts';
import type { HttpSettings } from '../../../lib/http/http-event.ts';

/** Returns the settings of HTTP handling from the configuration. */
export function toHttpSettings(
  config: Config,
  { bearer, named }: Pick<Parameters<typeof createAccess>[0], 'bearer' | 'named'>,
  outside: Pick<HttpSettings, 'clock' | 'ids' | 'observer' | 'log'>,
): HttpSettings {
  const { server } = config;
  const publicBaseUrl = server.public_base_url?.replace(/\/+$/, '');
  const publicHost = publicBaseUrl === undefined ? [] : [new URL(publicBaseUrl).host];
  const hosts = [server.bind, ...publicHost, ...server.allowed_hosts];
  return {
    ...outside,
    access: createAccess({ bearer, named, hosts }),
    maxBodyBytes: server.max_body_bytes,
    bodies: createBodyBudget(server.max_buffered_bytes),
    bodyIdleMs: server.body_idle_ms,
    limits: toRequestLimits(config, enabledNames(config)),
    publicBaseUrl,
  };
}
