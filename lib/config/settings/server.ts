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

/** The settings for webhooks: requests that report ended jobs. */
const WEBHOOKS = section({
  enabled: flag({
    default: false,
    about: 'Enables webhooks for ended jobs. If false, jobs that name a webhook are rejected.',
  }),
  default_url: optionalText({
    rule: ENDPOINT,
    unset: 'unset: only jobs that name a webhook are reported',
    about: 'Webhook URL for jobs that name no webhook. The host must be listed in `allowed_hosts`.',
  }),
  allowed_hosts: textList({
    default: [],
    rule: WEBHOOK_HOST,
    about:
      'Hosts to which webhooks may be sent. A host includes its port unless the port is the default of the scheme. Webhooks to any other host are rejected.',
  }),
  allow_private_networks: flag({
    default: false,
    about:
      'Allows the hosts in `allowed_hosts` to have addresses in private networks. A host that is listed as `localhost` or as a loopback address is always allowed to have loopback addresses.',
  }),
  secret_env: optionalText({
    rule: VARIABLE,
    about:
      'Name of the environment variable that contains the signing secret: `whsec_` followed by 24 to 64 bytes in base64. During a rotation, the variable may contain two secrets, separated by a space.',
  }),
});

const JOBS = section({
  enabled: flag({
    default: true,
    about:
      'Enables durable jobs and the dashboard. Presets, artifacts and sessions are always available.',
  }),
  max_pending: integer({
    default: 1000,
    min: 0,
    about:
      'Maximum number of queued jobs. If `server.tokens_file` is set, a tenth is reserved for tokens that have queued less than an equal share of the jobs.',
  }),
  max_running: integer({
    default: 4,
    about:
      'Maximum number of jobs that run at the same time in one process. One crop of a stored image may run beside these jobs.',
  }),
  max_running_total: integerOr('unlimited', {
    default: 'unlimited',
    about:
      'Maximum number of jobs that run at the same time in all replicas together. Must be equal in all replicas.',
  }),
  retention_secs: integer({
    default: 604_800,
    about: 'Time for which an ended job stays in the history, in seconds.',
  }),
  max_retained: integer({
    default: 10_000,
    about:
      'Maximum number of ended jobs in the history. If the number is exceeded, the oldest job of the token with the most jobs is deleted.',
  }),
  max_retained_bytes: integer({
    default: 268_435_456,
    about:
      'Maximum size of the history of ended jobs, in bytes, including their input images. If the size is exceeded, the oldest jobs of the token with the largest history are deleted.',
  }),
  max_database_bytes: integer({
    default: 1_073_741_824,
    min: 1_048_576,
    about:
      'Maximum size of all rows of the database, in bytes, including the space that is reserved for active jobs. A job that would exceed the maximum is rejected. If `server.tokens_file` is set, a tenth is reserved for tokens that use less than an equal share of the space.',
  }),
});

/** The settings for the listener, access control, jobs and webhooks. */
export const SERVER = section({
  bind: text({
    default: '127.0.0.1:8787',
    rule: BIND,
    about: 'Address and port on which the server listens.',
  }),
  public_base_url: optionalText({
    rule: HTTP_URL,
    unset: "unset: the request's own scheme and host",
    about: 'Base URL in the URLs of delivered images.',
  }),
  bearer_token_env: optionalText({
    rule: VARIABLE,
    unset: 'unset: no token is required',
    about: 'Name of the environment variable that contains the bearer token.',
  }),
  tokens_file: optionalText({
    rule: PATH,
    unset: 'unset: no named tokens',
    about:
      'Path of the file with named tokens, their permissions and allowances. The command `image-bridge tokens` writes this file. A change takes effect immediately.',
  }),
  allowed_hosts: textList({
    default: [],
    rule: AUTHORITY,
    about:
      'Additional values of the `Host` header that are accepted without a bearer token. A value without a port matches any port.',
  }),
  activation_lock: optionalText({
    rule: PATH,
    unset: 'unset: no lock',
    about:
      'Path of a lock file that several processes share. The command `serve` waits for the lock before it listens, uses a login or calls a backend.',
  }),
  max_body_bytes: integer({
    default: 83_886_080,
    about: 'Maximum size of a request body, in bytes.',
  }),
  max_header_bytes: integer({
    default: 32_768,
    about: 'Maximum size of a request head, in bytes.',
  }),
  max_buffered_bytes: integer({
    default: 268_435_456,
    about:
      'Maximum memory for the bodies of all requests together, in bytes. A JSON body counts three times. A request that would exceed the maximum is rejected with 503 before its body is read. One body is always admitted. Bodies up to 64 KiB do not count.',
  }),
  max_connections: integerOr(['auto', 'unlimited'], {
    default: 'auto',
    about:
      'Maximum number of open connections. With "auto", the maximum is half of the number of files that the process may open.',
  }),
  head_timeout_ms: integer({
    default: 10_000,
    min: 0,
    about:
      'Maximum time from the start of a connection until the request head is complete. 0 means no limit.',
  }),
  body_idle_ms: integer({
    default: 30_000,
    min: 0,
    about:
      'Maximum pause while a body is received. After a longer pause, the request is rejected with 408. 0 means no limit.',
  }),
  read_timeout_ms: integer({
    default: 0,
    min: 0,
    about:
      'Maximum pause while a head or a body is received. With 0, only `head_timeout_ms` and `body_idle_ms` apply.',
  }),
  write_timeout_ms: integer({
    default: 120_000,
    about:
      'Time between two checks of the replies that are being sent. A client that reads less than 1 KiB per second between two checks is disconnected, at most twice this time after it stops reading. The system passes data on in steps of up to about 1.5 MB, so with a shorter time, slow clients are disconnected too.',
  }),
  mcp: section({
    enabled: flag({
      default: false,
      about: 'Enables `/mcp`, which serves the tools for agents (Model Context Protocol).',
    }),
  }),
  metrics: section({
    enabled: flag({ default: false, about: 'Enables `/metrics` for Prometheus.' }),
  }),
  tracing: section({
    enabled: flag({
      default: true,
      about: 'Enables the log of image operations on standard error, with one JSON line per event.',
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
