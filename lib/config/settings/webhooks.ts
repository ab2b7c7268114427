import { flag, optionalText, section } from '../values/field.ts';
import { textList } from '../values/field-collections.ts';
import { ENDPOINT, VARIABLE, WEBHOOK_HOST } from '../values/text-rules.ts';

/** Requests of the bridge's own that say how jobs have ended. */
export const WEBHOOKS = section({
  enabled: flag({
    default: false,
    about:
      'Whether the ends of jobs are sent to webhooks; jobs that name one are refused otherwise.',
  }),
  default_url: optionalText({
    rule: ENDPOINT,
    unset: 'unset: only jobs that name a webhook have one',
    about:
      'Where the ends of jobs are sent that name no webhook; its host must be allowed as well.',
  }),
  allowed_hosts: textList({
    default: [],
    rule: WEBHOOK_HOST,
    about:
      'The hosts that webhooks may be sent to, each with its port unless that is the one of the scheme; no other is ever asked.',
  }),
  allow_private_networks: flag({
    default: false,
    about:
      'Whether allowed hosts may have addresses of private networks; a host that is listed as a loopback address or localhost may have those.',
  }),
  secret_env: optionalText({
    rule: VARIABLE,
    unset: 'unset',
    about:
      'The name of the environment variable that holds the secret of the signatures: whsec_ and 24 to 64 bytes in base64; two, separated by a space, while they are rotated.',
  }),
});
