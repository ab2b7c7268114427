import { integer, type SettingsOf, section, text } from '../values/field.ts';
import { PROVIDER_NAME } from '../values/text-rules.ts';
import { ARTIFACTS, IMAGES, INPUTS, STATE } from './images.ts';
import { PROVIDERS } from './providers.ts';
import { RUNTIME } from './runtime.ts';
import { SERVER } from './server.ts';

/**
 * Every setting, declared once. Types, defaults, bounds, environment names, errors and the reference page are derived from
 * this tree. A path in the tree is the name of a setting.
 */
export const SETTINGS = section({
  version: integer({
    default: 1,
    max: 1,
    about:
      'Version of the configuration format. A file with version 1 stays valid in later releases.',
  }),
  default_provider: text({
    default: 'agent-responses',
    rule: PROVIDER_NAME,
    about: 'Default provider; it must be enabled.',
  }),
  runtime: RUNTIME,
  inputs: INPUTS,
  images: IMAGES,
  artifacts: ARTIFACTS,
  state: STATE,
  server: SERVER,
  providers: PROVIDERS,
});

/** The whole validated configuration. Each module receives only its own part. */
export type Config = SettingsOf<typeof SETTINGS>;
