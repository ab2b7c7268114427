import { integer, type SettingsOf, section, text } from '../values/field.ts';
import { PROVIDER_NAME } from '../values/text-rules.ts';
import { ARTIFACTS, IMAGES, INPUTS, STATE } from './images.ts';
import { PROVIDERS } from './providers.ts';
import { RUNTIME } from './runtime.ts';
import { SERVER } from './server.ts';

/**
 * Every setting, once. Types, defaults, bounds, environment names, errors and the reference page all come from here; a
 * path in this tree is the name of a setting.
 */
export const SETTINGS = section({
  version: integer({
    default: 1,
    max: 1,
    about: 'The version of this format; every file that says 1 stays loadable.',
  }),
  default_provider: text({
    default: 'agent-responses',
    rule: PROVIDER_NAME,
    about: 'The provider of requests that name none; it must be enabled.',
  }),
  runtime: RUNTIME,
  inputs: INPUTS,
  images: IMAGES,
  artifacts: ARTIFACTS,
  state: STATE,
  server: SERVER,
  providers: PROVIDERS,
});

/** The whole configuration, checked. Modules take the part that they need. */
export type Config = SettingsOf<typeof SETTINGS>;
