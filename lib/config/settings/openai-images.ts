import { DAY_MS } from '../../platform/days.ts';
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
import { NAME, REMOTE_HOST, VISIBLE } from '../values/text-rules.ts';
import {
  BACKEND_RULES,
  backend,
  catalogue,
  keyExpected,
  keysListed,
  MODEL_RULES,
  models,
  onlyFor,
  outputs,
  retries,
  sourceType,
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
/** The models of OpenAI whose capabilities the bridge knows. */
export const GPT = [
  ...LISTED,
  'gpt-image-1.5',
  'chatgpt-image-latest',
  'gpt-image-1-mini',
] as const;

/** The models of xAI (xAI's image API, 2026-11). */
const GROK = [
  'grok-imagine-image',
  'grok-imagine-image-pro',
  'grok-imagine-image-quality',
  'grok-imagine-image-2.0',
] as const;

/** The models of Together (Together's page on image models, 2026-11). */
const FLUX = [
  'black-forest-labs/FLUX.2-pro',
  'black-forest-labs/FLUX.2-max',
  'black-forest-labs/FLUX.2-flex',
  'black-forest-labs/FLUX.2-dev',
  'black-forest-labs/FLUX.1-schnell',
  'black-forest-labs/FLUX.1.1-pro',
  'black-forest-labs/FLUX.1-kontext-pro',
  'black-forest-labs/FLUX.1-kontext-max',
] as const;

/** The addresses and models of the dialects that each belong to one service other than OpenAI. */
const SERVICES: ReadonlyMap<
  string,
  { readonly base_url: string; readonly models?: readonly string[] }
> = new Map([
  ['openrouter', { base_url: 'https://openrouter.ai/api/v1' }],
  ['xai', { base_url: 'https://api.x.ai/v1', models: GROK }],
  ['together', { base_url: 'https://api.together.xyz/v1', models: FLUX }],
]);

const FAMILIES = [...GPT, ...GROK, ...FLUX] as const;

/** The last day on which OpenAI serves each model (OpenAI's deprecations page, 2026-11). */
const LAST_DAYS: readonly (readonly [string, string])[] = [
  ['dall-e-2', '2026-05-12'],
  ['dall-e-3', '2026-05-12'],
  ['gpt-image-1', '2026-10-23'],
  ['gpt-image-1.5', '2026-12-01'],
  ['chatgpt-image-latest', '2026-12-01'],
  ['gpt-image-1-mini', '2026-12-01'],
];
const NOTICE_MS = 30 * DAY_MS;

/** The dialects whose backends serve OpenAI's models. */
const WITH_OPENAI_MODELS = ['openai', 'azure', 'litellm'];
const WITH_COUNT = [...WITH_OPENAI_MODELS, ...SERVICES.keys()];
const WITH_STREAM = [...WITH_OPENAI_MODELS, 'openrouter'];
const WITH_KEY = ['openai', 'azure', ...SERVICES.keys()];

const INSTANCE = section({
  dialect: choice(
    [
      'openai',
      'azure',
      'litellm',
      'openrouter',
      'xai',
      'together',
      'localai',
      'sdcpp',
      'vllm-omni',
      'sglang',
      'generic',
    ],
    {
      default: 'openai',
      about: "Variant of OpenAI's image API that the server at `base_url` implements.",
    },
  ),
  ...backend({
    default: ADDRESS,
    unset: `\`"${ADDRESS}"\` for the "openai" dialect; the address of the service for the dialects "openrouter", "xai" and "together"; required for other dialects`,
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
  upstreams: textList({
    default: [],
    rule: NAME,
    about:
      'The only upstreams to which OpenRouter may send calls, by the tags in its list of endpoints. Other upstreams are never used, even if these fail. Only for the "openrouter" dialect.',
  }),
  ...models(FAMILIES, LISTED),
  ...catalogue('the dialect "openrouter"'),
  native_count: integer({
    default: 1,
    max: 10,
    about:
      'Maximum number of outputs of one call. A value above 1 disables partial images. Only for the dialects "openai", "azure", "litellm", "openrouter", "xai" and "together".',
  }),
  stream: choice(['auto', 'always', 'never'], {
    default: 'auto',
    about:
      'Streaming of replies. With "auto", a reply is streamed if the request asks for partial images. "always" is only for the dialects "openai", "azure" and "openrouter".',
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
  ...sourceType(),
  ...retries(),
});
type OpenAiImages = SettingsOf<typeof INSTANCE>;

const RULES: readonly Rule<OpenAiImages>[] = [
  {
    field: 'base_url',
    with: ['dialect'],
    message: 'must be set: the dialect has no default address',
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
  keysListed('deployments', ({ deployments }) => deployments),
  ...BACKEND_RULES,
  onlyFor('openai', 'organization', ({ organization }) => organization !== undefined),
  onlyFor('openai', 'project', ({ project }) => project !== undefined),
  onlyFor('azure', 'api_version', ({ api_version }) => api_version !== undefined),
  onlyFor('azure', 'key_kind', ({ key_kind }) => key_kind !== 'api-key'),
  onlyFor('openrouter', 'upstreams', ({ upstreams }) => upstreams.length > 0),
  onlyFor('azure', 'deployments', ({ deployments }) => Object.keys(deployments).length > 0),
  {
    field: 'native_count',
    with: ['dialect'],
    message: 'must be 1: the dialect makes one output per call',
    isBroken: ({ dialect, native_count }) => !WITH_COUNT.includes(dialect) && native_count > 1,
  },
  {
    field: 'stream',
    with: ['dialect'],
    message: 'must not be "always": the dialect does not stream',
    isBroken: ({ dialect, stream }) => !WITH_STREAM.includes(dialect) && stream === 'always',
  },
  {
    field: 'stream',
    with: ['dialect'],
    isWarning: true,
    message:
      '"always" has no effect, because image streams of LiteLLM fail after the call is charged',
    isBroken: ({ dialect, stream }) => dialect === 'litellm' && stream === 'always',
  },
  keyExpected('dialect', ({ dialect }) => WITH_KEY.includes(dialect)),
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
export const OPENAI_IMAGES = keyed('own', INSTANCE, RULES, defaultsOf);

/** Returns the defaults of a dialect that belongs to one service. The default model is the first model. */
function defaultsOf({ dialect, models: listed }: OpenAiImages): Partial<OpenAiImages> {
  const service = SERVICES.get(dialect);
  if (!service) return {};
  const isDefault = listed === INSTANCE.entries.models.default;
  const [image_model = ''] = isDefault ? (service.models ?? listed) : listed;
  return { ...service, image_model };
}

function hasOpenAiModels({ dialect }: OpenAiImages): boolean {
  return WITH_OPENAI_MODELS.includes(dialect);
}
