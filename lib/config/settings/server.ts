import { flag, integer, integerOr, optionalText, section, text } from '../values/field.ts';
import { nameMap, textList } from '../values/field-collections.ts';
import {
  AUTHORITY,
  BIND,
  ENDPOINT,
  HTTP_URL,
  PATH,
  VARIABLE,
  WEBHOOK_HOST,
} from '../values/text-rules.ts';

/** Requests that the bridge sends to report ended jobs. */
const WEBHOOKS = section({
  enabled: flag({
    default: false,
    about: 'Sends ended jobs to webhooks. If false, jobs that name a webhook are rejected.',
  }),
  default_url: optionalText({
    rule: ENDPOINT,
    unset: 'unset: only jobs that name a webhook are sent',
    about: 'URL for ended jobs that name no webhook. Its host must be listed in `allowed_hosts`.',
  }),
  allowed_hosts: textList({
    default: [],
    rule: WEBHOOK_HOST,
    about:
      'Hosts to which webhooks may be sent, each with its port unless the port is the default of the scheme. The bridge contacts no other host.',
  }),
  allow_private_networks: flag({
    default: false,
    about:
      'Allows the hosts in `allowed_hosts` to have addresses of private networks. A host that is listed as localhost or a loopback address may always have loopback addresses.',
  }),
  secret_env: optionalText({
    rule: VARIABLE,
    unset: 'unset',
    about:
      'Name of the environment variable with the signing secret: `whsec_` followed by 24 to 64 bytes in base64. Two secrets separated by a space are accepted during rotation.',
  }),
});

const JOBS = section({
  enabled: flag({
    default: true,
    about:
      'Enables durable jobs and the dashboard. Presets, artifacts and sessions are available without them.',
  }),
  max_pending: integer({
    default: 1000,
    min: 0,
    about:
      'Maximum number of queued jobs. If `server.tokens_file` is set, the last tenth is reserved for tokens that have queued less than their equal share.',
  }),
  max_running: integer({ default: 4, about: 'Maximum number of jobs that run at once.' }),
  retention_secs: integer({
    default: 604_800,
    about: 'Time for which an ended job stays in the history, in seconds.',
  }),
  max_retained: integer({
    default: 10_000,
    about:
      'Maximum number of ended jobs in the history. Above the maximum, the oldest job of the token with the most jobs is deleted.',
  }),
  max_retained_bytes: integer({
    default: 268_435_456,
    about:
      'Maximum size of the history of ended jobs, in bytes. Input images of the jobs count, each once. Above the maximum, the oldest jobs of the token with the largest history are deleted.',
  }),
  max_database_bytes: integer({
    default: 1_073_741_824,
    min: 1_048_576,
    about:
      'Maximum size of all rows of the database, including the space reserved for active jobs, in bytes. A job above the maximum is rejected. If `server.tokens_file` is set, the last tenth is reserved for tokens that use less than their equal share.',
  }),
});

/** The listener, access to it, jobs and webhooks. */
export const SERVER = section({
  bind: text({
    default: '127.0.0.1:8787',
    rule: BIND,
    about: 'Address and port on which the server listens.',
  }),
  public_base_url: optionalText({
    rule: HTTP_URL,
    unset: "unset: the request's own scheme and host",
    about: 'Base URL of delivered images.',
  }),
  bearer_token_env: optionalText({
    rule: VARIABLE,
    unset: 'unset: no token is required',
    about: 'Name of the environment variable with the bearer token.',
  }),
  tokens_file: optionalText({
    rule: PATH,
    unset: 'unset: no named tokens',
    about:
      'Path of a file with named tokens, their permissions and allowances. `image-bridge tokens` writes the file, and a change takes effect at once.',
  }),
  allowed_hosts: textList({
    default: [],
    rule: AUTHORITY,
    about:
      'Additional values of the Host header that are accepted without a bearer token. An entry without a port matches any port.',
  }),
  activation_lock: optionalText({
    rule: PATH,
    unset: 'unset: no lock',
    about:
      'Path of a lock file shared by several processes. `serve` waits for the lock before it listens or uses a login or a backend.',
  }),
  max_body_bytes: integer({ default: 83_886_080, about: 'Maximum size of a request body.' }),
  max_header_bytes: integer({ default: 32_768, about: 'Maximum size of a request head.' }),
  max_buffered_bytes: integer({
    default: 268_435_456,
    about:
      'Maximum memory for the bodies of all requests together; a JSON body counts three times. A request above the maximum is rejected with 503 before its body is read. One body is always admitted, and bodies up to 64 KiB do not count.',
  }),
  max_connections: integerOr(['auto', 'unlimited'], {
    default: 'auto',
    about:
      'Maximum number of open connections; "auto" is half of the files that the process may open.',
  }),
  head_timeout_ms: integer({
    default: 10_000,
    min: 0,
    about:
      'Maximum time from the start of the connection until the request head is complete; 0 means no limit.',
  }),
  body_idle_ms: integer({
    default: 30_000,
    min: 0,
    about:
      'Maximum pause while a body is received. A longer pause is rejected with 408; 0 means no limit.',
  }),
  read_timeout_ms: integer({
    default: 0,
    min: 0,
    about:
      'Maximum pause while a head or a body is received; 0 applies only `head_timeout_ms` and `body_idle_ms`.',
  }),
  write_timeout_ms: integer({
    default: 30_000,
    about: 'Maximum time without progress while a reply is sent.',
  }),
  mcp: section({
    enabled: flag({
      default: false,
      about: 'Serves `/mcp`, the tools for agents (Model Context Protocol).',
    }),
  }),
  metrics: section({
    enabled: flag({ default: false, about: 'Serves `/metrics`.' }),
  }),
  tracing: section({
    enabled: flag({
      default: true,
      about: 'Logs image operations to standard error, one JSON line per event.',
    }),
  }),
  compat: section({
    model_aliases: nameMap({
      about:
        'Aliases of models for the OpenAI-compatible routes, such as {"dall-e-3" = "gpt-image-2"}.',
    }),
  }),
  jobs: JOBS,
  webhooks: WEBHOOKS,
});
