import {
  choice,
  type EntryRule,
  integer,
  keyed,
  optionalText,
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

/** The model families that a provider lists by default (OpenAI's image guide, 2026-11). */
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

/** Dialects whose backends serve OpenAI's models. */
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
    unset: `\`"${ADDRESS}"\` for the dialect openai; required for other dialects`,
  }),
  organization: optionalText({
    rule: VISIBLE,
    unset: 'unset',
    about: 'Organization that is charged for calls. Only for the dialect openai.',
  }),
  project: optionalText({
    rule: VISIBLE,
    unset: 'unset',
    about: 'Project that calls are attributed to. Only for the dialect openai.',
  }),
  api_version: optionalText({
    rule: VISIBLE,
    unset: "unset: the resource's v1 API",
    about: 'API version. Only for the dialect azure.',
  }),
  deployments: nameMap({
    about:
      'Deployment names of models whose deployment has a different name. Only for the dialect azure.',
  }),
  ...models(FAMILIES, LISTED),
  native_count: integer({
    default: 1,
    max: 10,
    about:
      'Maximum number of outputs of one call; a value above 1 disables partial images. Only for the dialects openai, azure and litellm.',
  }),
  stream: choice(['auto', 'always', 'never'], {
    default: 'auto',
    about:
      'Streaming of replies; "auto" streams if the request wants partial images. "always" is only for the dialects openai and azure.',
  }),
  result_hosts: textList({
    default: [],
    rule: REMOTE_HOST,
    about:
      'Additional hosts from which the bridge may fetch images over https if a reply contains image URLs.',
  }),
  ...outputs({
    default: 'auto',
    auto: 'is 1 for the dialects localai, sdcpp, vllm-omni and sglang, and starts all outputs at once for the others',
  }),
  ...retries(),
});
type OpenAiImages = SettingsOf<typeof INSTANCE>;

const RULES: readonly EntryRule<OpenAiImages>[] = [
  {
    field: 'base_url',
    with: ['dialect'],
    severity: 'error',
    message: 'must be set: only the dialect openai has a default address',
    isBroken: ({ dialect, base_url }) => dialect !== 'openai' && base_url === ADDRESS,
  },
  {
    field: 'models',
    with: ['dialect'],
    severity: 'error',
    message: 'must be set: the dialect has no default models',
    isBroken: (settings) =>
      !hasOpenAiModels(settings) && settings.models === INSTANCE.entries.models.default,
  },
  ...MODEL_RULES,
  {
    field: 'deployments',
    with: ['models'],
    severity: 'error',
    message: 'must have only keys that are listed in models',
    isBroken: ({ deployments, models: listed }) => !areListed(deployments, listed),
  },
  ...BACKEND_RULES,
  only('openai', 'organization', ({ organization }) => organization !== undefined),
  only('openai', 'project', ({ project }) => project !== undefined),
  only('azure', 'api_version', ({ api_version }) => api_version !== undefined),
  only('azure', 'deployments', ({ deployments }) => Object.keys(deployments).length > 0),
  {
    field: 'native_count',
    with: ['dialect'],
    severity: 'error',
    message: 'must be 1: the dialect makes one output per call',
    isBroken: (settings) => !hasOpenAiModels(settings) && settings.native_count > 1,
  },
  {
    field: 'stream',
    with: ['dialect'],
    severity: 'error',
    message: 'must not be "always": the dialect does not stream',
    isBroken: (settings) => !hasOpenAiModels(settings) && settings.stream === 'always',
  },
  {
    field: 'stream',
    with: ['dialect'],
    severity: 'warning',
    message: '"always" has no effect: image streams of LiteLLM fail after the call was charged',
    isBroken: ({ dialect, stream }) => dialect === 'litellm' && stream === 'always',
  },
  {
    ...KEY_EXPECTED,
    with: [...KEY_EXPECTED.with, 'dialect'],
    isBroken: (settings, nowMs) =>
      ['openai', 'azure'].includes(settings.dialect) && KEY_EXPECTED.isBroken(settings, nowMs),
  },
  ...LAST_DAYS.map(
    ([model, day]): EntryRule<OpenAiImages> => ({
      field: 'models',
      with: ['dialect'],
      severity: 'warning',
      message: `the last day of ${model} is ${day}: use another model`,
      isBroken: ({ enabled, dialect, models: listed }, nowMs) =>
        enabled &&
        dialect === 'openai' &&
        listed.some((listedModel) => listedModel.replace(/-\d{4}-\d{2}-\d{2}$/, '') === model) &&
        nowMs > Date.parse(day) - NOTICE_MS,
    }),
  ),
];

/** OpenAI's image API and compatible servers. */
export const OPENAI_IMAGES = keyed('own', INSTANCE, RULES);

function hasOpenAiModels({ dialect }: OpenAiImages): boolean {
  return WITH_OPENAI_MODELS.includes(dialect);
}

function only(
  dialect: OpenAiImages['dialect'],
  field: keyof OpenAiImages,
  isSet: (settings: OpenAiImages) => boolean,
): EntryRule<OpenAiImages> {
  return {
    field,
    with: ['dialect'],
    severity: 'error',
    message: `must not be set: it is for the dialect ${dialect}`,
    isBroken: (settings) => settings.dialect !== dialect && isSet(settings),
  };
}
