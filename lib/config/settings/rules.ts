import { resolve } from 'node:path';
import { toProviderName } from '../../contract/resources/provider-name.ts';
import { isLoopbackHost, parseAuthority } from '../values/addresses.ts';
import { PROVIDER_KEYS } from './provider-names.ts';
import type { Config } from './settings.ts';

/** What must hold between fields that are each valid on their own. */
export interface CrossFieldRule {
  /** Where it is reported. */
  readonly field: string;
  /** The other fields that it reads; it is skipped while one of them is invalid. */
  readonly with: readonly string[];
  /** A warning lets the bridge start. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly isBroken: (config: Config) => boolean;
}

export const CROSS_FIELD_RULES: readonly CrossFieldRule[] = [
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
  ...PROVIDER_KEYS.map(
    (key): CrossFieldRule => ({
      field: 'default_provider',
      with: [`providers.${key}.enabled`],
      severity: 'error',
      message: `must be an enabled provider: providers.${key}.enabled is false`,
      isBroken: ({ default_provider: name, providers }) =>
        name === toProviderName(key) && !providers[key].enabled,
    }),
  ),
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
    message: 'must not be the file that locks state.directory',
    isBroken: ({ server, state }) =>
      server.activation_lock !== undefined &&
      resolve(server.activation_lock) === resolve(state.directory, 'lock'),
  },
  {
    field: 'server.bind',
    with: ['server.bearer_token_env'],
    severity: 'warning',
    message:
      'other machines can reach this address and no token is required: set server.bearer_token_env',
    isBroken: ({ server }) =>
      server.bearer_token_env === undefined &&
      !isLoopbackHost(parseAuthority(server.bind)?.host ?? ''),
  },
];
