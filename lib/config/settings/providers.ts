import { choice, flag, integer, optionalText, section, text } from '../values/field.ts';
import { textList } from '../values/field-collections.ts';
import { ENDPOINT, NAME, PATH, PLAIN } from '../values/text-rules.ts';
import { COMFYUI } from './comfyui.ts';
import { GEMINI } from './gemini.ts';
import { OPENAI_IMAGES } from './openai-images.ts';
import { ALL_AT_ONCE, outputs, retries, sourceType } from './provider-fields.ts';
import { TASK } from './task.ts';

const AGENT_RESPONSES = section({
  enabled: flag({ default: true, about: 'Enables the `agent-responses` provider.' }),
  endpoint: text({
    default: 'https://chatgpt.com/backend-api/codex/responses',
    rule: ENDPOINT,
    about: 'URL to which the request for each output is sent.',
  }),
  home: home(),
  credentials: choice(['file', 'state'], {
    default: 'file',
    about:
      'Place of the login. With "file", `auth.json` is read and renewed, by one machine only. With "state", the login of the file is imported once into the PostgreSQL database, encrypted with the key of `state.seal_key_env`, and all replicas share and renew it there. The file must not be used elsewhere afterwards.',
  }),
  token_endpoint: text({
    default: 'https://auth.openai.com/oauth/token',
    rule: ENDPOINT,
    about: 'URL that is called to renew the login.',
  }),
  responses_model: text({
    default: 'gpt-5.5',
    rule: NAME,
    about: 'Model that calls the image tool.',
  }),
  image_model: text({
    default: 'gpt-image-2',
    rule: NAME,
    about: 'Default image model; one of `models`.',
  }),
  models: textList({
    default: ['gpt-image-2', 'gpt-image-1.5', 'gpt-image-1', 'gpt-image-1-mini'],
    min: 1,
    rule: NAME,
    about:
      'Image models that requests may name. A model that the bridge does not know has the capabilities of the default model.',
  }),
  ...outputs(ALL_AT_ONCE),
  ...sourceType(),
  ...retries(),
});

const AGENT_APP_SERVER = section({
  enabled: flag({ default: false, about: 'Enables the `agent-app-server` provider.' }),
  executable: text({
    default: 'codex',
    rule: PATH,
    about: 'Program to start: a path, or a name that is looked up in `PATH`.',
  }),
  args: textList({
    default: [],
    rule: PLAIN,
    about: 'Additional command-line arguments for the program.',
  }),
  home: home(),
  base_url: text({
    default: 'https://chatgpt.com/backend-api/codex',
    rule: ENDPOINT,
    about: 'URL of the model provider, which is set in the configuration of the program.',
  }),
  account_base_url: text({
    default: 'https://chatgpt.com/backend-api',
    rule: ENDPOINT,
    about: 'URL of the account service, which is set in the configuration of the program.',
  }),
  agent_model: text({
    default: 'gpt-5.5',
    rule: NAME,
    about: 'Model of the agent, which calls the image tool.',
  }),
  ...outputs(ALL_AT_ONCE),
  ...sourceType(),
  rpc_max_message_bytes: integer({
    default: 67_108_864,
    about: 'Maximum size of one message from the program, in bytes.',
  }),
  rpc_timeout_ms: integer({
    default: 60_000,
    about: 'Maximum time for the program to reply to one call.',
  }),
  shutdown_timeout_ms: integer({
    default: 5000,
    about: 'Maximum time for the program to exit. After this time, the program is killed.',
  }),
  restart_backoff_ms: integer({
    default: 250,
    about:
      'Delay before the program is restarted after a crash. Each further crash doubles the delay.',
  }),
});

const SANDBOX = section({
  enabled: flag({
    default: false,
    about: 'Enables the `sandbox` provider, which draws images locally for tests.',
  }),
  latency_ms: integer({
    default: 400,
    min: 0,
    about: 'Delay before the sandbox renders an image.',
  }),
});

/**
 * The settings of each provider, which only the folder of the provider reads. The key of a section is the name of the provider
 * with `_` instead of `-`. A keyed section adds one provider for each of its keys.
 */
export const PROVIDERS = section({
  agent_responses: AGENT_RESPONSES,
  agent_app_server: AGENT_APP_SERVER,
  sandbox: SANDBOX,
  openai_images: OPENAI_IMAGES,
  gemini: GEMINI,
  comfyui: COMFYUI,
  task: TASK,
});

function home() {
  return optionalText({
    rule: PATH,
    unset: '`$CODEX_HOME`, else `~/.codex`',
    about: 'Folder that contains `auth.json`. Providers that name the same folder share one login.',
  });
}
