import { flag, integer, optionalText, section, text } from '../values/field.ts';
import { textList } from '../values/field-collections.ts';
import { ENDPOINT, NAME, PATH, PLAIN } from '../values/text-rules.ts';
import { COMFYUI } from './comfyui.ts';
import { GEMINI } from './gemini.ts';
import { OPENAI_IMAGES } from './openai-images.ts';
import { ALL_AT_ONCE, outputs, retries } from './provider-limits.ts';

const AGENT_RESPONSES = section({
  enabled: flag({ default: true, about: 'Whether agent-responses takes requests.' }),
  endpoint: text({
    default: 'https://chatgpt.com/backend-api/codex/responses',
    rule: ENDPOINT,
    about: 'The address that each output is asked from.',
  }),
  home: home(),
  token_endpoint: text({
    default: 'https://auth.openai.com/oauth/token',
    rule: ENDPOINT,
    about: 'The address that renews the login.',
  }),
  responses_model: text({
    default: 'gpt-5.5',
    rule: NAME,
    about: 'The model that calls the image tool.',
  }),
  image_model: text({
    default: 'gpt-image-2',
    rule: NAME,
    about: 'The image model of requests that name none; one of models.',
  }),
  models: textList({
    default: ['gpt-image-2', 'gpt-image-1.5', 'gpt-image-1', 'gpt-image-1-mini'],
    min: 1,
    rule: NAME,
    about:
      "The image models that requests may name; one of an unlisted family has the default model's capabilities.",
  }),
  ...outputs(ALL_AT_ONCE),
  ...retries(),
});

const AGENT_APP_SERVER = section({
  enabled: flag({ default: false, about: 'Whether agent-app-server takes requests.' }),
  executable: text({
    default: 'codex',
    rule: PATH,
    about: 'The program to start: a path, or a name that is looked up in PATH.',
  }),
  args: textList({
    default: [],
    rule: PLAIN,
    about: "Arguments that the program gets besides the bridge's own.",
  }),
  home: home(),
  base_url: text({
    default: 'https://chatgpt.com/backend-api/codex',
    rule: ENDPOINT,
    about: "The address of the model provider in the program's configuration.",
  }),
  account_base_url: text({
    default: 'https://chatgpt.com/backend-api',
    rule: ENDPOINT,
    about: "The address of the account in the program's configuration.",
  }),
  agent_model: text({
    default: 'gpt-5.5',
    rule: NAME,
    about: 'The model of the agent, which calls the image tool.',
  }),
  ...outputs(ALL_AT_ONCE),
  rpc_max_message_bytes: integer({
    default: 67_108_864,
    about: 'The largest message that is read from the program.',
  }),
  rpc_timeout_ms: integer({
    default: 60_000,
    about: 'How long the program may take for one call.',
  }),
  shutdown_timeout_ms: integer({
    default: 5000,
    about: 'How long the program may take to end before it is killed.',
  }),
  restart_backoff_ms: integer({
    default: 250,
    about: 'The wait before the program is started again; it doubles from crash to crash.',
  }),
});

const SANDBOX = section({
  enabled: flag({ default: false, about: 'Whether the embedded sandbox takes requests.' }),
  latency_ms: integer({
    default: 400,
    min: 0,
    about: 'How long the sandbox waits before it renders an image.',
  }),
});

/**
 * One row a provider, read by its own folder alone. The key of a section gives the registered name, with `-` for `_`; a
 * keyed one adds a provider under each of its keys.
 */
export const PROVIDERS = section({
  agent_responses: AGENT_RESPONSES,
  agent_app_server: AGENT_APP_SERVER,
  sandbox: SANDBOX,
  openai_images: OPENAI_IMAGES,
  gemini: GEMINI,
  comfyui: COMFYUI,
});

function home() {
  return optionalText({
    rule: PATH,
    unset: '`$CODEX_HOME`, else `~/.codex`',
    about: 'The folder of auth.json; providers with the same folder share one login.',
  });
}
