import {
  choice,
  integer,
  keyed,
  optionalText,
  type Rule,
  type SettingsOf,
  section,
} from '../values/field.ts';
import { nameMap, textList } from '../values/field-collections.ts';
import { REMOTE_HOST, VISIBLE } from '../values/text-rules.ts';
import {
  areListed,
  BACKEND_RULES,
  backend,
  KEY_EXPECTED,
  MODEL_RULES,
  models,
  outputs,
  retries,
} from './provider-fields.ts';

const ADDRESS = 'https://api.openai.com/v1';

/** The models that a provider lists by default (OpenAI's image guide, 2026-11). */
const LISTED = [
  'gpt-image-2',
  'gpt-image-2.5-sunburst',
  'gpt-image-2.5-flare',
  'gpt-image-2.6-sunburst',
  'gpt-image-2.6-flare',
] as const;
const FAMILIES = [...LISTED, 'gpt-image-1.5', 'chatgpt-image-latest', 'gpt-image-1-mini'] as const;

/** The last day on which OpenAI serves each model (OpenAI's deprecations page, 2026-11). */
const LAST_DAYS: readonly (readonly [string, string])[] = [
  ['dall-e-2', '2026-05-12'],
  ['dall-e-3', '2026-05-12'],
  ['gpt-image-1', '2026-10-23'],
  ['gpt-image-1.5', '2026-12-01'],
  ['chatgpt-image-latest', '2026-12-01'],
  ['gpt-image-1-mini', '2026-12-01'],
];
const NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

/** The dialects whose backends serve OpenAI's models. */
const WITH_OPENAI_MODELS = ['openai', 'azure', 'litellm'];

const INSTANCE = section({
  dialect: choice(
    ['openai', 'azure', 'litellm', 'localai', 'sdcpp', 'vllm-omni', 'sglang', 'generic'],
    {
      default: 'openai',
      about: "Variant of OpenAI's image API that the server at `base_url` implements.",
    },
  ),
  ...backend({
    default: ADDRESS,
    unset: `\`"${ADDRESS}"\` for the "openai" dialect; required for other dialects`,
  }),
  organization: optionalText({
    rule: VISIBLE,
    about: 'Organization that is charged for calls. Only for the "openai" dialect.',
  }),
  project: optionalText({
    rule: VISIBLE,
    about: 'Project that calls are attributed to. Only for the "openai" dialect.',
  }),
  api_version: optionalText({
    rule: VISIBLE,
    unset: 'unset: the v1 API of the resource',
    about: 'API version of the resource. Only for the "azure" dialect.',
  }),
  key_kind: choice(['api-key', 'bearer'], {
    default: 'api-key',
    about:
      'Kind of the API key: "api-key" for a key of the resource, "bearer" for a token of Microsoft Entra ID. A file named by `api_key_file` may be replaced with a new token at any time. Only for the "azure" dialect.',
  }),
  deployments: nameMap({
    about:
      'Deployment names by model, for models whose deployment has a different name. Only for the "azure" dialect.',
  }),
  ...models(FAMILIES, LISTED),
  native_count: integer({
    default: 1,
    max: 10,
    about:
      'Maximum number of outputs of one call. A value above 1 disables partial images. Only for the dialects "openai", "azure" and "litellm".',
  }),
  stream: choice(['auto', 'always', 'never'], {
    default: 'auto',
    about:
      'Streaming of replies. With "auto", a reply is streamed if the request asks for partial images. "always" is only for the dialects "openai" and "azure".',
  }),
  result_hosts: textList({
    default: [],
    rule: REMOTE_HOST,
    about:
      'Additional hosts from which images may be fetched over https, if replies of the backend contain image URLs.',
  }),
  ...outputs({
    default: 'auto',
    auto: 'means 1 for the dialects "localai", "sdcpp", "vllm-omni" and "sglang". For the other dialects, all outputs of a request start at the same time',
  }),
  ...retries(),
});
type OpenAiImages = SettingsOf<typeof INSTANCE>;

const RULES: readonly Rule<OpenAiImages>[] = [
  {
    field: 'base_url',
    with: ['dialect'],
    message: 'must be set: only the "openai" dialect has a default address',
    isBroken: ({ dialect, base_url }) => dialect !== 'openai' && base_url === ADDRESS,
  },
  {
    field: 'models',
    with: ['dialect'],
    message: 'must be set: the dialect has no default models',
    isBroken: (settings) =>
      !hasOpenAiModels(settings) && settings.models === INSTANCE.entries.models.default,
  },
  ...MODEL_RULES,
  {
    field: 'deployments',
    with: ['models'],
    message: 'must have only keys that are listed in models',
    isBroken: ({ deployments, models: listed }) => !areListed(deployments, listed),
  },
  ...BACKEND_RULES,
  only('openai', 'organization', ({ organization }) => organization !== undefined),
  only('openai', 'project', ({ project }) => project !== undefined),
  only('azure', 'api_version', ({ api_version }) => api_version !== undefined),
  only('azure', 'key_kind', ({ key_kind }) => key_kind !== 'api-key'),
  only('azure', 'deployments', ({ deployments }) => Object.keys(deployments).length > 0),
  {
    field: 'native_count',
    with: ['dialect'],
    message: 'must be 1: the dialect makes one output per call',
    isBroken: (settings) => !hasOpenAiModels(settings) && settings.native_count > 1,
  },
  {
    field: 'stream',
    with: ['dialect'],
    message: 'must not be "always": the dialect does not stream',
    isBroken: (settings) => !hasOpenAiModels(settings) && settings.stream === 'always',
  },
  {
    field: 'stream',
    with: ['dialect'],
    isWarning: true,
    message:
      '"always" has no effect, because image streams of LiteLLM fail after the call is charged',
    isBroken: ({ dialect, stream }) => dialect === 'litellm' && stream === 'always',
  },
  {
    ...KEY_EXPECTED,
    with: [...KEY_EXPECTED.with, 'dialect'],
    isBroken: (settings, nowMs) =>
      ['openai', 'azure'].includes(settings.dialect) && KEY_EXPECTED.isBroken(settings, nowMs),
  },
  ...LAST_DAYS.map(
    ([model, day]): Rule<OpenAiImages> => ({
      field: 'models',
      with: ['dialect'],
      isWarning: true,
      message: `the last day of ${model} is ${day}: use another model`,
      isBroken: ({ enabled, dialect, models: listed }, nowMs) =>
        enabled &&
        dialect === 'openai' &&
        listed.some((listedModel) => listedModel.replace(/-\d{4}-\d{2}-\d{2}$/, '') === model) &&
        nowMs > Date.parse(day) - NOTICE_MS,
    }),
  ),
];

/** The settings of a provider for OpenAI's image API or a compatible server. */
export const OPENAI_IMAGES = keyed('own', INSTANCE, RULES);

function hasOpenAiModels({ dialect }: OpenAiImages): boolean {
  return WITH_OPENAI_MODELS.includes(dialect);
}

function only(
  dialect: OpenAiImages['dialect'],
  field: keyof OpenAiImages,
  isSet: (settings: OpenAiImages) => boolean,
): Rule<OpenAiImages> {
  return {
    field,
    with: ['dialect'],
    message: `must not be set: only the "${dialect}" dialect has this setting`,
    isBroken: (settings) => settings.dialect !== dialect && isSet(settings),
  };
}
