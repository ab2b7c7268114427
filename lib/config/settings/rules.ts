import { resolve } from 'node:path';
import { isLoopbackHost, parseAuthority } from '../values/addresses.ts';
import type { Rule } from '../values/field.ts';
import { KINDS, registeredProviders } from './provider-names.ts';
import { PROVIDERS } from './providers.ts';
import type { Config } from './settings.ts';

/** Returns all rules for a configuration. The rules of a keyed section are repeated for each of its entries. */
export function crossFieldRules(config: Config): readonly Rule<Config>[] {
  return [...FIXED_RULES, ...defaultProviderRules(config), ...entryRules(config)];
}

const FIXED_RULES: readonly Rule<Config>[] = [
  {
    field: 'runtime.default_timeout_ms',
    with: ['runtime.request.max_timeout_ms'],
    message: 'must be at most runtime.request.max_timeout_ms',
    isBroken: ({ runtime }) => runtime.default_timeout_ms > runtime.request.max_timeout_ms,
  },
  {
    field: 'inputs.max_bytes_each',
    with: ['inputs.max_bytes_total'],
    message: 'must be at most inputs.max_bytes_total',
    isBroken: ({ inputs }) => inputs.max_bytes_each > inputs.max_bytes_total,
  },
  {
    field: 'providers.agent_responses.image_model',
    with: ['providers.agent_responses.models'],
    message: 'must be one of providers.agent_responses.models',
    isBroken: ({ providers }) =>
      !providers.agent_responses.models.includes(providers.agent_responses.image_model),
  },
  {
    field: 'server.activation_lock',
    with: ['state.directory'],
    message: 'must not be the lock file of state.directory',
    isBroken: ({ server, state }) =>
      server.activation_lock !== undefined &&
      resolve(server.activation_lock) === resolve(state.directory, 'lock'),
  },
  {
    field: 'replica.work',
    with: ['state.driver', 'server.jobs.enabled'],
    message: 'must be true if state.driver is "sqlite", because no other process runs the jobs',
    isBroken: ({ replica, state, server }) =>
      !replica.work && state.driver === 'sqlite' && server.jobs.enabled,
  },
  {
    field: 'artifacts.s3.bucket',
    with: ['artifacts.driver'],
    message: 'must be set if artifacts.driver is "s3"',
    isBroken: ({ artifacts: { driver, s3 } }) => driver === 's3' && s3.bucket === undefined,
  },
  {
    field: 'artifacts.s3.endpoint',
    with: ['artifacts.s3.allow_http'],
    message: 'must be an https URL unless artifacts.s3.allow_http is true',
    isBroken: ({ artifacts: { s3 } }) =>
      s3.endpoint?.toLowerCase().startsWith('http:') === true && !s3.allow_http,
  },
  {
    field: 'provenance.signing.certificate_file',
    with: ['provenance.signing.key_file'],
    message: 'must be set if provenance.signing.key_file is set',
    isBroken: ({ provenance: { signing } }) =>
      signing.key_file !== undefined && signing.certificate_file === undefined,
  },
  {
    field: 'provenance.signing.key_file',
    with: ['provenance.signing.certificate_file'],
    message: 'must be set if provenance.signing.certificate_file is set',
    isBroken: ({ provenance: { signing } }) =>
      signing.certificate_file !== undefined && signing.key_file === undefined,
  },
  {
    field: 'providers.agent_app_server.enabled',
    with: ['state.driver'],
    message:
      'must be false if state.driver is "postgres", because the threads of the agent are files of one machine',
    isBroken: ({ state, providers }) =>
      state.driver === 'postgres' && providers.agent_app_server.enabled,
  },
  {
    field: 'providers.agent_responses.credentials',
    with: ['state.driver'],
    message:
      'must be "file" unless state.driver is "postgres", because other databases have one process',
    isBroken: ({ state, providers: { agent_responses } }) =>
      state.driver !== 'postgres' && agent_responses.credentials === 'state',
  },
  {
    field: 'state.seal_key_env',
    with: ['providers.agent_responses.credentials'],
    message: 'must be set if providers.agent_responses.credentials is "state"',
    isBroken: ({ state, providers: { agent_responses } }) =>
      state.seal_key_env === undefined &&
      agent_responses.enabled &&
      agent_responses.credentials === 'state',
  },
  {
    field: 'server.webhooks.secret_env',
    with: ['server.webhooks.enabled'],
    message:
      'must be set if server.webhooks.enabled is true, because receivers verify signatures with the secret',
    isBroken: ({ server: { webhooks } }) => webhooks.enabled && webhooks.secret_env === undefined,
  },
  {
    field: 'server.webhooks.default_url',
    with: ['server.webhooks.allowed_hosts'],
    message: 'must have a host that is listed in server.webhooks.allowed_hosts',
    isBroken({ server: { webhooks } }) {
      if (webhooks.default_url === undefined) return false;
      const { host } = new URL(webhooks.default_url);
      return !webhooks.allowed_hosts.some((allowed) => allowed.toLowerCase() === host);
    },
  },
  {
    field: 'server.bind',
    with: ['server.bearer_token_env', 'server.tokens_file'],
    isWarning: true,
    message:
      'other machines can reach this address, and no token is required: set server.bearer_token_env or server.tokens_file',
    isBroken: ({ server }) =>
      server.bearer_token_env === undefined &&
      server.tokens_file === undefined &&
      !isLoopbackHost(parseAuthority(server.bind)?.host ?? ''),
  },
];

function defaultProviderRules(config: Config): readonly Rule<Config>[] {
  const field = 'default_provider';
  const registered = registeredProviders(config);
  const names = registered.map(({ name }) => name);
  return [
    {
      field,
      with: [],
      message: `is not a registered provider: ${names.join(', ')}`,
      isBroken: ({ default_provider: name }) => !names.includes(name),
    },
    ...registered.map(
      ({ name, path, settings }): Rule<Config> => ({
        field,
        with: [`${path}.enabled`],
        message: `provider is not enabled: ${path}.enabled is false`,
        isBroken: ({ default_provider }) => default_provider === name && !settings.enabled,
      }),
    ),
  ];
}

function entryRules({ providers }: Config): readonly Rule<Config>[] {
  return KINDS.flatMap((kind) => {
    const rules: readonly Rule<object>[] = PROVIDERS.entries[kind].rules;
    return Object.entries(providers[kind]).flatMap(([name, settings]) => {
      const pathOf = (field: string) => `providers.${kind}.${name}.${field}`;
      return rules.map((rule) => ({
        ...rule,
        field: pathOf(rule.field),
        with: rule.with.map(pathOf),
        isBroken: (_: Config, nowMs: number) => rule.isBroken(settings, nowMs),
      }));
    });
  });
}
