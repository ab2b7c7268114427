import { type Route, routes } from '../../handlers/routes.ts';
import { createOwnerFolder } from '../../lib/artifacts/artifact-names.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { unnamedScope } from '../../lib/http/access.ts';
import type { TraceLog } from '../../lib/log/trace-log.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { openTokenFile } from '../../lib/tokens/token-file.ts';
import { readWebhookSecrets } from '../../lib/webhooks/webhook-secrets.ts';
import { resolveBearer } from './bearer.ts';
import { toHttpSettings } from './listener/to-http-settings.ts';
import { openObservation } from './observation.ts';
import { packageVersion } from './package-version.ts';

interface Outside {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: TraceLog;
}

/**
 * Reads the tokens and the secrets, and creates everything that exists before the app is built: clock, ids, metrics, the
 * mounted routes and the HTTP settings. Changes nothing on disk. Throws `configuration`.
 */
export async function prepare(config: Config, { env, log }: Outside) {
  const clock = systemClock;
  const ids = createIds(clock.nowMs);
  const version = packageVersion();
  const { bearer_token_env: variable, tokens_file: path } = config.server;
  const bearer = resolveBearer(variable, env);
  const named = path === undefined ? undefined : openTokenFile({ path, clock, log });
  const webhookKeys = readWebhookSecrets(config.server.webhooks, env);
  const mounted = routes.filter(({ setting }) => setting === undefined || isOn(setting, config));
  const { observer, ...observed } = await openObservation({
    config,
    routes: mounted,
    clock,
    version,
  });
  return {
    mounted,
    version,
    authenticationRequired: bearer !== undefined || named !== undefined,
    named,
    /** The dependencies of `createApp` that are ready. */
    outside: {
      clock,
      ids,
      log,
      env,
      webhookKeys,
      ...observed,
      httpSettings: toHttpSettings(config, { bearer, named }, { clock, ids, observer, log }),
      ...(named ? { tokens: named, ownerFolder: createOwnerFolder(unnamedScope(bearer)) } : {}),
    },
  };
}

/** Returns true if the setting that enables a route is on. */
function isOn(setting: NonNullable<Route['setting']>, { server }: Config): boolean {
  switch (setting) {
    case 'server.metrics.enabled':
      return server.metrics.enabled;
    case 'server.mcp.enabled':
      return server.mcp.enabled;
    case 'server.jobs.enabled':
      return server.jobs.enabled;
  }
}
