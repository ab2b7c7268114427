import { flag, integer, type SettingsOf, section, text } from '../values/field.ts';
import { integerList, textList } from '../values/field-collections.ts';
import { PROVIDER_NAME, REMOTE_HOST } from '../values/text-rules.ts';
import { PROVENANCE } from './provenance.ts';
import { PROVIDERS } from './providers.ts';
import { RUNTIME } from './runtime.ts';
import { SERVER } from './server.ts';
import { ARTIFACTS, REPLICA, STATE } from './storage.ts';

/** The settings for images that are sent with a request. */
const INPUTS = section({
  max_bytes_each: integer({
    default: 33_554_432,
    about: 'Maximum size of one image in a request, in decoded bytes.',
  }),
  max_bytes_total: integer({
    default: 67_108_864,
    about: 'Maximum total size of all images in one request, in decoded bytes.',
  }),
  remote: section({
    enabled: flag({
      default: false,
      about: 'Allows requests to name images by https URL. The bridge fetches these images itself.',
    }),
    allowed_hosts: textList({
      default: [],
      rule: REMOTE_HOST,
      about: 'Hosts from which images may be fetched. Images from any other host are rejected.',
    }),
    allowed_ports: integerList({
      default: [443],
      max: 65_535,
      about: 'Ports from which images may be fetched.',
    }),
    allow_private_networks: flag({
      default: false,
      about:
        'Allows the hosts in `allowed_hosts` to have private, loopback or link-local addresses. The bridge checks the address after name resolution and at every redirect.',
    }),
    max_redirects: integer({
      default: 3,
      about: 'Maximum number of redirects when an image is fetched.',
    }),
    timeout_ms: integer({
      default: 20_000,
      about: 'Maximum time to fetch an image, including redirects.',
    }),
  }),
});

/** The limits for decoding images, both input images and images from a provider. */
const IMAGES = section({
  max_encoded_bytes: integer({
    default: 33_554_432,
    about: 'Maximum size of an encoded image, in bytes.',
  }),
  max_edge: integer({ default: 16_384, about: 'Maximum width and height of an image, in pixels.' }),
  max_pixels: integer({ default: 67_108_864, about: 'Maximum number of pixels of one image.' }),
  max_request_pixels: integer({
    default: 268_435_456,
    about:
      'Maximum total number of pixels of all images in one request, according to the image headers.',
  }),
  max_decode_ms: integer({ default: 10_000, about: 'Maximum time to decode one image.' }),
});

/**
 * All settings. Types, defaults, bounds, environment names, errors and the reference page are derived from this tree. The path
 * of a setting in the tree is its name.
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
    about: 'Provider for requests that name no provider. This provider must be enabled.',
  }),
  runtime: RUNTIME,
  inputs: INPUTS,
  images: IMAGES,
  provenance: PROVENANCE,
  artifacts: ARTIFACTS,
  state: STATE,
  replica: REPLICA,
  server: SERVER,
  providers: PROVIDERS,
});

/** The whole validated configuration. Each module receives only its own part. */
export type Config = SettingsOf<typeof SETTINGS>;
