import { isLoopbackHost } from '../values/addresses.ts';
import { type EntryRule, flag, optionalText, text } from '../values/field.ts';
import { HTTP_URL, PATH, VARIABLE } from '../values/text-rules.ts';

interface Backend {
  readonly enabled: boolean;
  readonly base_url: string;
  readonly allow_plain_http: boolean;
  readonly api_key_env: string | undefined;
  readonly api_key_file: string | undefined;
}

/** Returns the settings for the address and the API key of the backend of a named provider. */
export function backend(address: { readonly default: string; readonly unset?: string }) {
  return {
    enabled: flag({ default: true, about: 'Enables this provider.' }),
    base_url: text({
      ...address,
      rule: HTTP_URL,
      about: 'Base URL of the backend: https, or http on loopback.',
    }),
    allow_plain_http: flag({
      default: false,
      about:
        'Allows `base_url` to be http on another machine. Enable this only in a trusted network.',
    }),
    api_key_env: optionalText({
      rule: VARIABLE,
      unset: 'unset',
      about: 'Name of the environment variable with the API key.',
    }),
    api_key_file: optionalText({
      rule: PATH,
      unset: 'unset',
      about:
        'Path of a file that contains only the API key and is writable only by its owner. The file is read again when it changes.',
    }),
  };
}

export const BACKEND_RULES: readonly EntryRule<Backend>[] = [
  {
    field: 'api_key_file',
    with: ['api_key_env'],
    severity: 'error',
    message: 'must not be set together with api_key_env: a provider has only one key',
    isBroken: (settings) =>
      settings.api_key_env !== undefined && settings.api_key_file !== undefined,
  },
  {
    field: 'base_url',
    with: ['allow_plain_http'],
    severity: 'error',
    message: 'must be https, or http on loopback, unless allow_plain_http is true',
    isBroken: ({ base_url, allow_plain_http }) => !allow_plain_http && isPlainRemote(base_url),
  },
  {
    field: 'base_url',
    with: ['allow_plain_http', 'api_key_env', 'api_key_file'],
    severity: 'warning',
    message: 'the API key is sent over the network unencrypted: use https',
    isBroken: (settings) =>
      settings.enabled &&
      settings.allow_plain_http &&
      hasKey(settings) &&
      isPlainRemote(settings.base_url),
  },
];

/** For backends that reject calls without a key, unless a proxy in front of the backend adds the key. */
export const KEY_EXPECTED: EntryRule<Backend> = {
  field: 'api_key_env',
  with: ['api_key_file'],
  severity: 'warning',
  message: 'neither api_key_env nor api_key_file is set: calls are sent without an API key',
  isBroken: (settings) => settings.enabled && !hasKey(settings),
};

function hasKey({ api_key_env, api_key_file }: Backend): boolean {
  return api_key_env !== undefined || api_key_file !== undefined;
}

function isPlainRemote(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ''));
}
