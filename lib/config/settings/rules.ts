import { resolve } from 'node:path';
import { isLoopbackHost, parseAuthority } from '../values/addresses.ts';
import type { EntryRule } from '../values/field.ts';
import { KINDS, registeredProviders } from './provider-names.ts';
import { PROVIDERS } from './providers.ts';
import type { Config } from './settings.ts';

/** A rule between fields that are each valid on their own. */
export interface CrossFieldRule {
  /** The path of the field at which a violation is reported. */
  readonly field: string;
  /** The paths of the other fields that the rule reads. The rule is skipped if one of these fields is invalid. */
  readonly with: readonly string[];
  /** The severity of a violation. The bridge starts despite a warning. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly isBroken: (config: Config, nowMs: number) => boolean;
}

/** Returns all rules of a configuration. The rules of a keyed section are repeated for each of its entries. */
export function crossFieldRules(config: Config): readonly CrossFieldRule[] {
  return [...FIXED_RULES, ...defaultProviderRules(config), ...entryRules(config)];
}

const FIXED_RULES: readonly CrossFieldRule[] = [
  {
    field: 'runtime.default_timeout_ms',
    with: ['runtime.request.max_timeout_ms'],
    severity: 'error',
    message: 'must be at most runtime.request.max_timeout_ms',
    isBroken: ({ runtime }) => runtime.default_timeout_ms > runtime.request.max_timeout_ms,
  },
  {
    field: 'inputs.max_bytes_each',
    with: ['inputs.max_bytes_total'],
    severity: 'error',
    message: 'must be at most inputs.max_bytes_total',
    isBroken: ({ inputs }) => inputs.max_bytes_each > inputs.max_bytes_total,
  },
  {
    field: 'providers.agent_responses.image_model',
    with: ['providers.agent_responses.models'],
    severity: 'error',
    message: 'must be one of providers.agent_responses.models',
    isBroken: ({ providers }) =>
      !providers.agent_responses.models.includes(providers.agent_responses.image_model),
  },
  {
    field: 'server.activation_lock',
    with: ['state.directory'],
    severity: 'error',
    message: 'must not be the lock file of state.directory',
    isBroken: ({ server, state }) =>
      server.activation_lock !== undefined &&
      resolve(server.activation_lock) === resolve(state.directory, 'lock'),
  },
  {
    field: 'server.webhooks.secret_env',
    with: ['server.webhooks.enabled'],
    severity: 'error',
    message:
      'must be set if server.webhooks.enabled is true: receivers verify the signatures with the secret',
    isBroken: ({ server: { webhooks } }) => webhooks.enabled && webhooks.secret_env === undefined,
  },
  {
    field: 'server.webhooks.default_url',
    with: ['server.webhooks.allowed_hosts'],
    severity: 'error',
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
    severity: 'warning',
    message:
      'this address is reachable from other machines and no token is required: set server.bearer_token_env or server.tokens_file',
    isBroken: ({ server }) =>
      server.bearer_token_env === undefined &&
      server.tokens_file === undefined &&
      !isLoopbackHost(parseAuthority(server.bind)?.host ?? ''),
  },
];

function defaultProviderRules(config: Config): readonly CrossFieldRule[] {
  const field = 'default_provider';
  const registered = registeredProviders(config);
  const names = registered.map(({ name }) => name);
  return [
    {
      field,
      with: [],
      severity: 'error',
      message: `is not a registered provider: ${names.join(', ')}`,
      isBroken: ({ default_provider: name }) => !names.includes(name),
    },
    ...registered.map(
      ({ name, path, settings }): CrossFieldRule => ({
        field,
        with: [`${path}.enabled`],
        severity: 'error',
        message: `provider is not enabled: ${path}.enabled is false`,
        isBroken: ({ default_provider }) => default_provider === name && !settings.enabled,
      }),
    ),
  ];
}

function entryRules({ providers }: Config): readonly CrossFieldRule[] {
  return KINDS.flatMap((kind) => {
    const rules: readonly EntryRule<object>[] = PROVIDERS.entries[kind].rules;
    return Object.entries(providers[kind]).flatMap(([name, settings]) => {
      const pathOf = (field: string) => `providers.${kind}.${name}.${field}`;
      return rules.map(
        (rule): CrossFieldRule => ({
          field: pathOf(rule.field),
          with: rule.with.map(pathOf),
          severity: rule.severity,
          message: rule.message,
          isBroken: (_, nowMs) => rule.isBroken(settings, nowMs),
        }),
      );
    });
  });
}
