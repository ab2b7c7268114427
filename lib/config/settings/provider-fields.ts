import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { SOURCE_TYPES } from '../../contract/resources/source-type.ts';
import { closedObject, eitherOf } from '../../contract/schema/closed-object.ts';
import { isLoopbackHost } from '../values/addresses.ts';
import {
  choice,
  type Field,
  flag,
  integer,
  integerOr,
  optionalText,
  type Rule,
  type Section,
  type SettingsOf,
  text,
} from '../values/field.ts';
import { schemaMap, textList } from '../values/field-collections.ts';
import { HTTP_URL, NAME, PATH, VARIABLE } from '../values/text-rules.ts';

type Backend = SettingsOf<Section<ReturnType<typeof backend>>>;

/** Returns the settings for the address and the API key of the backend of a named provider. */
export function backend(address: { readonly default: string; readonly unset?: string }) {
  return {
    enabled: flag({ default: true, about: 'Enables this provider.' }),
    base_url: text({
      ...address,
      rule: HTTP_URL,
      about: 'Base URL of the backend. The URL must use https, or http with a loopback address.',
    }),
    allow_plain_http: flag({
      default: false,
      about:
        'Allows `base_url` to use http for another machine. Enable this setting only in a trusted network.',
    }),
    api_key_env: optionalText({
      rule: VARIABLE,
      about: 'Name of the environment variable that contains the API key.',
    }),
    api_key_file: optionalText({
      rule: PATH,
      about:
        'Path of a file that contains only the API key. Only its owner may be able to write the file. The bridge reads the file again after a change.',
    }),
  };
}

export const BACKEND_RULES: readonly Rule<Backend>[] = [
  {
    field: 'api_key_file',
    with: ['api_key_env'],
    message: 'must not be set together with api_key_env, because a provider has only one key',
    isBroken: (settings) =>
      settings.api_key_env !== undefined && settings.api_key_file !== undefined,
  },
  {
    field: 'base_url',
    with: ['allow_plain_http'],
    message: 'must use https, or http with a loopback address, unless allow_plain_http is true',
    isBroken: ({ base_url, allow_plain_http }) => !allow_plain_http && isPlainRemote(base_url),
  },
  {
    field: 'base_url',
    with: ['allow_plain_http', 'api_key_env', 'api_key_file'],
    isWarning: true,
    message: 'the API key is sent over the network unencrypted: use https',
    isBroken: (settings) =>
      settings.enabled &&
      settings.allow_plain_http &&
      hasKey(settings) &&
      isPlainRemote(settings.base_url),
  },
];

/**
 * Returns the rule for backends that need a key. `field` is the other field that `needsKey` reads. The violation is only a warning,
 * because a proxy may add the key to calls.
 */
export function keyExpected<S extends Backend>(
  field: string,
  needsKey: (settings: S) => boolean,
): Rule<S> {
  return {
    field: 'api_key_env',
    with: ['api_key_file', field],
    isWarning: true,
    message: 'neither api_key_env nor api_key_file is set: calls are sent without an API key',
    isBroken: (settings) => settings.enabled && needsKey(settings) && !hasKey(settings),
  };
}

/** Returns the rule for a field that only one dialect has. */
export function onlyFor<S extends { readonly dialect: string }>(
  dialect: S['dialect'],
  field: string,
  isSet: (settings: S) => boolean,
): Rule<S> {
  return {
    field,
    with: ['dialect'],
    message: `must not be set: only the "${dialect}" dialect has this setting`,
    isBroken: (settings) => settings.dialect !== dialect && isSet(settings),
  };
}

function hasKey({ api_key_env, api_key_file }: Backend): boolean {
  return api_key_env !== undefined || api_key_file !== undefined;
}

/** Returns false for an empty URL, which means the address of the service. */
function isPlainRemote(url: string): boolean {
  if (url === '') return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ''));
}

/** The capabilities that an operator may define for a model that the bridge does not know. */
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
      'complexities',
      'reference_images',
      'edit_images',
      'masks',
      'partial_images',
    ]),
  ).entries,
);
type ModelProfile = v.InferOutput<typeof Profile>;

/** Returns the settings for the models of a named provider. A model of no known family has the profile of the default family. */
export function models<const F extends string>(families: readonly F[], defaults: readonly F[]) {
  const [first = ''] = defaults;
  const profiles: Field<{ readonly [model: string]: F | ModelProfile }> = schemaMap({
    about:
      'Capabilities of models that the bridge does not know. Each value is the name of a family with the same capabilities, or a table with members of a capability document. The default family supplies the other members.',
    expects: `a table of models, each ${families.map((name) => `"${name}"`).join(', ')}, or a table with members of a capability document`,
    schema: eitherOf(v.picklist(families), Profile, () => true),
  });
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
      about: 'Default model. Must be listed in `models`.',
    }),
    model_profiles: profiles,
  };
}

type Models = SettingsOf<Section<ReturnType<typeof models>>>;

export const MODEL_RULES: readonly Rule<Models>[] = [
  {
    field: 'image_model',
    with: ['models'],
    message: 'must be one of models',
    isBroken: ({ models: listed, image_model }) => !listed.includes(image_model),
  },
  keysListed('model_profiles', ({ model_profiles }) => model_profiles),
];

/** Returns the rule that the keys of a table are listed models. */
export function keysListed<S extends Pick<Models, 'models'>>(
  field: string,
  tableOf: (settings: S) => object,
): Rule<S> {
  return {
    field,
    with: ['models'],
    message: 'must have only keys that are listed in models',
    isBroken: (settings) =>
      !Object.keys(tableOf(settings)).every((model) => settings.models.includes(model)),
  };
}

/** Returns the settings for the list of models that a service publishes. `services` names the services that have a list. */
export function catalogue(services: string) {
  return {
    catalogue: choice(['listed', 'all', 'off'], {
      default: 'listed',
      about: `Use of the list of models that the service publishes: "listed" reads the capabilities of the models in \`models\`, "all" also offers the other image models of the list, up to 500, and "off" never reads the list. Only for ${services}.`,
    }),
    catalogue_hours: integer({
      default: 24,
      max: 8760,
      about: `Time between two refreshes of the list of models, in hours. Only for ${services}.`,
    }),
  };
}

/** Returns the settings for the number of outputs of one request, and for the number of simultaneous calls. */
export function outputs(parallel: { readonly default: number | 'auto'; readonly auto: string }) {
  return {
    max_outputs: integer({
      default: 255,
      about: 'Maximum number of outputs of one request to this provider.',
    }),
    max_parallel_outputs: integerOr('auto', {
      default: parallel.default,
      about: `Maximum number of calls to this provider that run at the same time, for all requests together. The value "auto" ${parallel.auto}.`,
    }),
  };
}

export const ALL_AT_ONCE = {
  default: 'auto',
  auto: 'starts all outputs of a request at the same time',
} as const;

/** Returns the setting for the source of the images of a provider. */
export function sourceType() {
  return {
    digital_source_type: choice(SOURCE_TYPES, {
      default: 'trainedAlgorithmicMedia',
      about:
        'Term of the IPTC vocabulary "Digital Source Type" with which images of this provider are marked and signed. The term of an image that was composited into a source is derived from this term.',
    }),
  };
}

/** Returns the settings for retries of a call after a transient failure. */
export function retries() {
  return {
    max_transient_attempts: integer({
      default: 2,
      max: 2,
      about: 'Maximum number of attempts of one call. Only transient failures are retried.',
    }),
    transient_backoff_ms: integer({
      default: 750,
      about: 'Delay before the second attempt, randomly changed by up to 20 percent.',
    }),
  };
}
