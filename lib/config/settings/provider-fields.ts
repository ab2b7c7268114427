import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { closedObject, eitherOf } from '../../contract/schema/closed-object.ts';
import { isLoopbackHost } from '../values/addresses.ts';
import {
  type EntryRule,
  type Field,
  flag,
  integer,
  integerOr,
  optionalText,
  text,
} from '../values/field.ts';
import { schemaMap, textList } from '../values/field-collections.ts';
import { HTTP_URL, NAME, PATH, VARIABLE } from '../values/text-rules.ts';

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

/**
 * A rule for backends that reject calls without a key. The key may be missing if a proxy in front of the backend adds the
 * key.
 */
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

/** Capabilities that an operator may state for a model unknown to the bridge. */
const Profile = closedObject(
  v.partial(
    v.pick(CapabilityDocument, [
      'edits',
      'sizes',
      'aspect_ratio',
      'aspect_ratios',
      'resolution',
      'resolutions',
      'negative_prompt',
      'revised_prompt',
      'transparent_background',
      'qualities',
      'output_formats',
      'backgrounds',
      'moderation',
      'input_fidelities',
      'reference_images',
      'edit_images',
      'masks',
      'partial_images',
    ]),
  ).entries,
);
type ModelProfile = v.InferOutput<typeof Profile>;

/**
 * Returns the settings for the models of a named provider. A model outside `families` has the profile of the default family.
 */
export function models<const F extends string>(families: readonly F[], defaults: readonly F[]) {
  const [first = ''] = defaults;
  return {
    models: textList({
      default: defaults,
      min: 1,
      rule: NAME,
      about: 'Models that requests may name.',
    }),
    image_model: text({
      default: first,
      rule: NAME,
      about: 'Default model; one of `models`.',
    }),
    model_profiles: modelProfiles(families),
  };
}

interface Models {
  readonly models: readonly string[];
  readonly image_model: string;
  readonly model_profiles: { readonly [model: string]: unknown };
}

export const MODEL_RULES: readonly EntryRule<Models>[] = [
  {
    field: 'image_model',
    with: ['models'],
    severity: 'error',
    message: 'must be one of models',
    isBroken: ({ models: listed, image_model }) => !listed.includes(image_model),
  },
  {
    field: 'model_profiles',
    with: ['models'],
    severity: 'error',
    message: 'must have only keys that are listed in models',
    isBroken: ({ models: listed, model_profiles }) => !areListed(model_profiles, listed),
  },
];

/** Returns true if every key is a listed model. */
export function areListed(byModel: object, listed: readonly string[]): boolean {
  return Object.keys(byModel).every((model) => listed.includes(model));
}

function modelProfiles<const F extends string>(
  families: readonly F[],
): Field<{ readonly [model: string]: F | ModelProfile }> {
  return schemaMap({
    about:
      'Capabilities of models that the bridge does not know: the name of a family with the same profile, or members of a capability document that replace those of the default family.',
    expects: `a table of models, each ${families.map((name) => `"${name}"`).join(', ')}, or a table with members of a capability document`,
    schema: eitherOf(v.picklist(families), Profile, () => true),
  });
}

/** Returns the settings for the number of outputs of one request, and of outputs made at once. */
export function outputs(parallel: { readonly default: number | 'auto'; readonly auto: string }) {
  return {
    max_outputs: integer({
      default: 255,
      about: 'Maximum number of outputs of one request to this provider.',
    }),
    max_parallel_outputs: integerOr('auto', {
      default: parallel.default,
      about: `Maximum number of calls that run at once, over all requests; "auto" ${parallel.auto}.`,
    }),
  };
}

export const ALL_AT_ONCE = {
  default: 'auto',
  auto: 'starts all outputs at once',
} as const;

/** Returns the settings for retries of a call after a transient failure. */
export function retries() {
  return {
    max_transient_attempts: integer({
      default: 2,
      max: 2,
      about: 'Maximum number of attempts of one call if the call fails transiently.',
    }),
    transient_backoff_ms: integer({
      default: 750,
      about: 'Delay before the second attempt, randomized by up to 20 percent in either direction.',
    }),
  };
}
