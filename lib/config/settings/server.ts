import { flag, integer, integerOr, optionalText, section, text } from '../values/field.ts';
import { textList, textMap } from '../values/field-collections.ts';
import { AUTHORITY, BIND, HTTP_URL, NAME, PATH, VARIABLE } from '../values/text-rules.ts';
import { WEBHOOKS } from './webhooks.ts';

const JOBS = section({
  enabled: flag({
    default: true,
    about:
      'Whether there are durable jobs and the dashboard; presets, artifacts and sessions stay without them.',
  }),
  max_pending: integer({
    default: 1000,
    min: 0,
    about:
      'How many jobs may be queued. With server.tokens_file the last tenth is for tokens that have queued less than their equal share.',
  }),
  max_running: integer({ default: 4, about: 'How many jobs may run at once.' }),
  retention_secs: integer({
    default: 604_800,
    about: 'How long a job that has ended stays in the history, in seconds.',
  }),
  max_retained: integer({
    default: 10_000,
    about:
      'How many jobs that have ended stay in the history. Where they are more, the token with the most loses its oldest.',
  }),
  max_retained_bytes: integer({
    default: 268_435_456,
    about:
      'How large the history of jobs that have ended may grow, in bytes. The images that they came with count, each once. Where it is larger, the token with the largest loses its oldest jobs.',
  }),
  max_database_bytes: integer({
    default: 1_073_741_824,
    min: 1_048_576,
    about:
      'The budget over all rows, the reservations of active jobs included; a job beyond it is refused. With server.tokens_file the last tenth is for tokens that fill less than their equal share.',
  }),
});

/** The listener and what depends on it. */
export const SERVER = section({
  bind: text({ default: '127.0.0.1:8787', rule: BIND, about: 'Where the server listens.' }),
  public_base_url: optionalText({
    rule: HTTP_URL,
    unset: "unset: the request's own scheme and host",
    about: 'What the addresses of delivered images begin with.',
  }),
  bearer_token_env: optionalText({
    rule: VARIABLE,
    unset: 'unset: no token is required',
    about: 'The name of the environment variable that holds the bearer token.',
  }),
  tokens_file: optionalText({
    rule: PATH,
    unset: 'unset: no named tokens',
    about:
      'The path of a file with named tokens, their permissions and allowances; image-bridge tokens writes it, and a change takes effect at once.',
  }),
  allowed_hosts: textList({
    default: [],
    rule: AUTHORITY,
    about:
      'Further values of the Host header that are accepted without a bearer token; an entry without a port takes any port.',
  }),
  activation_lock: optionalText({
    rule: PATH,
    unset: 'unset: no lock',
    about:
      'The path of a lock between processes; serve waits for it before it listens or touches a login or a backend.',
  }),
  max_body_bytes: integer({ default: 83_886_080, about: 'The largest request body.' }),
  max_header_bytes: integer({ default: 32_768, about: 'The largest request head.' }),
  max_buffered_bytes: integer({
    default: 268_435_456,
    about:
      'How much memory the bodies of all requests may take together, a JSON body counted three times; another one is refused with 503 before it is read. One body is always admitted, and bodies up to 64 KiB do not count.',
  }),
  max_connections: integerOr(['auto', 'unlimited'], {
    default: 'auto',
    about:
      'How many connections may be open; auto leaves half of the files that the process may open to the program itself.',
  }),
  head_timeout_ms: integer({
    default: 10_000,
    min: 0,
    about:
      'How long a client may take to send the head of a request, from its connection on; 0 is no limit.',
  }),
  body_idle_ms: integer({
    default: 30_000,
    min: 0,
    about:
      'How long a body may pause while it is read, before it is refused with 408; 0 lets it pause for ever.',
  }),
  read_timeout_ms: integer({
    default: 0,
    min: 0,
    about:
      'How long a request may pause while its head or its body is read; 0 leaves that to head_timeout_ms and body_idle_ms.',
  }),
  write_timeout_ms: integer({
    default: 30_000,
    about: 'How long the sending of a reply may make no progress.',
  }),
  mcp: section({
    enabled: flag({
      default: false,
      about: 'Whether /mcp is served: the tools for agents (Model Context Protocol).',
    }),
  }),
  metrics: section({
    enabled: flag({ default: false, about: 'Whether /metrics is served.' }),
  }),
  tracing: section({
    enabled: flag({
      default: true,
      about: 'Whether image operations are logged on standard error, one line of JSON each.',
    }),
  }),
  compat: section({
    model_aliases: textMap({
      rule: NAME,
      about:
        'Model names of the OpenAI-familiar routes and what they mean here, such as {"dall-e-3" = "gpt-image-2"}.',
    }),
  }),
  jobs: JOBS,
  webhooks: WEBHOOKS,
});
