import {
  choice,
  keyed,
  optionalText,
  type Rule,
  type SettingsOf,
  section,
  text,
} from '../values/field.ts';
import { ENDPOINT, PATH, RESOURCE } from '../values/text-rules.ts';
import {
  ALL_AT_ONCE,
  BACKEND_RULES,
  backend,
  keyExpected,
  MODEL_RULES,
  models,
  onlyFor,
  outputs,
  retries,
  sourceType,
} from './provider-fields.ts';

const ADDRESS = 'https://generativelanguage.googleapis.com';

const FAMILIES = [
  'gemini-nano-banana-2.1',
  'gemini-3-pro-image',
  'gemini-3.1-flash-lite-image',
] as const;

const INSTANCE = section({
  dialect: choice(['gemini', 'vertex'], {
    default: 'gemini',
    about:
      'API that serves the models: "gemini" is the Gemini API with an API key, "vertex" is Vertex AI of Google Cloud with a service account or the login of a user.',
  }),
  ...backend({
    default: ADDRESS,
    unset: `\`"${ADDRESS}"\` for the "gemini" dialect; the address of \`location\` for the "vertex" dialect`,
  }),
  project: optionalText({
    rule: RESOURCE,
    about: 'Project of Google Cloud that is charged for calls. Only for the "vertex" dialect.',
  }),
  location: text({
    default: 'global',
    rule: RESOURCE,
    about:
      'Location of Google Cloud that processes calls, such as "global", "eu" or "europe-west4". Only for the "vertex" dialect.',
  }),
  credentials_file: optionalText({
    rule: PATH,
    about:
      'Path of the key of a service account, or of the file that `gcloud auth application-default login` writes. Only its owner may be able to write the file. The bridge reads the file again for every access token. Only for the "vertex" dialect.',
  }),
  token_endpoint: text({
    default: 'https://oauth2.googleapis.com/token',
    rule: ENDPOINT,
    about: 'URL that issues access tokens for `credentials_file`.',
  }),
  ...models(FAMILIES, FAMILIES),
  ...outputs(ALL_AT_ONCE),
  ...sourceType(),
  ...retries(),
});
type Gemini = SettingsOf<typeof INSTANCE>;

const RULES: readonly Rule<Gemini>[] = [
  ...MODEL_RULES,
  ...BACKEND_RULES,
  required('project'),
  required('credentials_file'),
  onlyFor('vertex', 'project', ({ project }) => project !== undefined),
  onlyFor('vertex', 'location', ({ location }) => location !== INSTANCE.entries.location.default),
  onlyFor('vertex', 'credentials_file', ({ credentials_file: path }) => path !== undefined),
  onlyFor('gemini', 'api_key_env', ({ api_key_env: variable }) => variable !== undefined),
  onlyFor('gemini', 'api_key_file', ({ api_key_file: path }) => path !== undefined),
  keyExpected('dialect', ({ dialect }) => dialect === 'gemini'),
];

/** The settings of a provider for the Gemini API or for Vertex AI. */
export const GEMINI = keyed('own', INSTANCE, RULES, defaultsOf);

/** Returns the address of a location (Vertex AI, "Locations": `us` and `eu` are multi-regions). */
function defaultsOf({ dialect, location }: Gemini): Partial<Gemini> {
  if (dialect !== 'vertex') return {};
  if (location === 'global') return { base_url: 'https://aiplatform.googleapis.com' };
  const isMultiRegion = ['us', 'eu'].includes(location);
  const host = isMultiRegion ? `aiplatform.${location}.rep` : `${location}-aiplatform`;
  return { base_url: `https://${host}.googleapis.com` };
}

function required(field: 'project' | 'credentials_file'): Rule<Gemini> {
  return {
    field,
    with: ['dialect'],
    message: 'must be set for the "vertex" dialect',
    isBroken: (settings) => settings.dialect === 'vertex' && settings[field] === undefined,
  };
}
