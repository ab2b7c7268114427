import { flag, optionalText, section } from '../values/field.ts';
import { textList } from '../values/field-collections.ts';
import { ENDPOINT, VARIABLE, WEBHOOK_HOST } from '../values/text-rules.ts';

/** Requests that the bridge sends to report ended jobs. */
export const WEBHOOKS = section({
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
