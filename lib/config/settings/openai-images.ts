import {
  choice,
  type EntryRule,
  integer,
  keyed,
  optionalText,
  type SettingsOf,
  section,
} from '../values/field.ts';
import { textList, textMap } from '../values/field-collections.ts';
import { NAME, REMOTE_HOST, VISIBLE } from '../values/text-rules.ts';
import { BACKEND_RULES, backend, KEY_EXPECTED } from './backend.ts';
import { areListed, MODEL_RULES, models } from './models.ts';
import { outputs, retries } from './provider-limits.ts';

const ADDRESS = 'https://api.openai.com/v1';

/** The families of models, those that a provider lists by default first (OpenAI's image guide, 2026-11). */
const LISTED = [
  'gpt-image-2',
  'gpt-image-2.5-sunburst',
  'gpt-image-2.5-flare',
  'gpt-image-2.6-sunburst',
  'gpt-image-2.6-flare',
] as const;
const FAMILIES = [...LISTED, 'gpt-image-1.5', 'chatgpt-image-latest', 'gpt-image-1-mini'] as const;

/** The last day of models at OpenAI (its deprecations page, 2026-11). */
const LAST_DAYS: readonly (readonly [string, string])[] = [
  ['dall-e-2', '2026-05-12'],
  ['dall-e-3', '2026-05-12'],
  ['gpt-image-1', '2026-10-23'],
  ['gpt-image-1.5', '2026-12-01'],
  ['chatgpt-image-latest', '2026-12-01'],
  ['gpt-image-1-mini', '2026-12-01'],
];
const NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

/** Backends that have OpenAI's models. */
const WITH_OPENAI_MODELS = ['openai', 'azure', 'litellm'];

const INSTANCE = section({
  dialect: choice(
    ['openai', 'azure', 'litellm', 'localai', 'sdcpp', 'vllm-omni', 'sglang', 'generic'],
    { default: 'openai', about: "Which server speaks OpenAI's image API at base_url." },
  ),
  ...backend({
    default: ADDRESS,
    unset: `\`"${ADDRESS}"\` for the dialect openai; other dialects have none`,
  }),
  organization: optionalText({
    rule: VISIBLE,
    unset: 'unset',
    about: 'The organization that pays for calls; for the dialect openai.',
  }),
  project: optionalText({
    rule: VISIBLE,
    unset: 'unset',
    about: 'The project that calls count for; for the dialect openai.',
  }),
  api_version: optionalText({
    rule: VISIBLE,
    unset: "unset: the resource's v1 API",
    about: 'The version of the API; for the dialect azure.',
  }),
  deployments: textMap({
    rule: NAME,
    about: 'The deployment of each model, where it has another name; for the dialect azure.',
  }),
  ...models(FAMILIES, LISTED),
  native_count: integer({
    default: 1,
    max: 10,
    about:
      'How many outputs one call may ask for; above 1 there are no partial images. For the dialects openai, azure and litellm.',
  }),
  stream: choice(['auto', 'always', 'never'], {
    default: 'auto',
    about:
      'Whether replies are streamed; "auto" streams for partial images. "always" is for the dialects openai and azure.',
  }),
  result_hosts: textList({
    default: [],
    rule: REMOTE_HOST,
    about:
      'Further hosts that images may be fetched from, over https, where a reply names their URL.',
  }),
  ...outputs({
    default: 'auto',
    auto: 'is 1 for the dialects localai, sdcpp, vllm-omni and sglang, and lets all outputs start together for others',
  }),
  ...retries(),
});
type OpenAiImages = SettingsOf<typeof INSTANCE>;

const RULES: readonly EntryRule<OpenAiImages>[] = [
  {
    field: 'base_url',
    with: ['dialect'],
    severity: 'error',
    message: 'must be set: only the dialect openai has an address of its own',
    isBroken: ({ dialect, base_url }) => dialect !== 'openai' && base_url === ADDRESS,
  },
  {
    field: 'models',
    with: ['dialect'],
    severity: 'error',
    message: 'must be set: the dialect has no models of its own',
    isBroken: (settings) =>
      !hasOpenAiModels(settings) && settings.models === INSTANCE.entries.models.default,
  },
  ...MODEL_RULES,
  {
    field: 'deployments',
    with: ['models'],
    severity: 'error',
    message: 'must have keys that are among models',
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
    message: 'must be 1: the dialect makes one output a call',
    isBroken: (settings) => !hasOpenAiModels(settings) && settings.native_count > 1,
  },
  {
    field: 'stream',
    with: ['dialect'],
    severity: 'error',
    message: 'must not be "always": the dialect streams nothing',
    isBroken: (settings) => !hasOpenAiModels(settings) && settings.stream === 'always',
  },
  {
    field: 'stream',
    with: ['dialect'],
    severity: 'warning',
    message:
      '"always" has no effect: the streams of images of LiteLLM fail after the model was paid',
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

/** OpenAI's image API, and whatever speaks it. */
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
