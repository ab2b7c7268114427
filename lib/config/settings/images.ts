import { choice, flag, integer, section, text } from '../values/field.ts';
import { integerList, textList } from '../values/field-collections.ts';
import { PATH, REMOTE_HOST } from '../values/text-rules.ts';

/** Images that come with a request. */
export const INPUTS = section({
  max_bytes_each: integer({
    default: 33_554_432,
    about: 'The largest image that a request may bring, in decoded bytes.',
  }),
  max_bytes_total: integer({
    default: 67_108_864,
    about: 'All images of one request together, in decoded bytes.',
  }),
  remote: section({
    enabled: flag({
      default: false,
      about: 'Whether a request may name an image by https URL for the bridge to fetch.',
    }),
    allowed_hosts: textList({
      default: [],
      rule: REMOTE_HOST,
      about: 'The hosts that images may be fetched from; no other is ever asked.',
    }),
    allowed_ports: integerList({
      default: [443],
      max: 65_535,
      about: 'The ports that images may be fetched from.',
    }),
    allow_private_networks: flag({
      default: false,
      about:
        'Whether allowed hosts may have private, loopback or link-local addresses; the address is checked after resolution and at every redirect.',
    }),
    max_redirects: integer({ default: 3, about: 'How many redirects one fetch may follow.' }),
    timeout_ms: integer({ default: 20_000, about: 'How long one fetch may take in all.' }),
  }),
});

/** Bounds of every decode, of images that come in and of those that a provider made. */
export const IMAGES = section({
  max_encoded_bytes: integer({
    default: 33_554_432,
    about: 'The largest encoded image that is decoded, in bytes.',
  }),
  max_edge: integer({ default: 16_384, about: 'The longest edge of an image, in pixels.' }),
  max_pixels: integer({ default: 67_108_864, about: 'The most pixels of an image.' }),
  max_request_pixels: integer({
    default: 268_435_456,
    about: 'The most pixels of all images of one request together, by their headers.',
  }),
  max_decode_ms: integer({ default: 10_000, about: 'How long one decode may take.' }),
});

/** Files that the bridge makes. */
export const ARTIFACTS = section({
  root: text({
    default: './data/artifacts',
    rule: PATH,
    about: 'The folder of the images; a relative path starts at the working directory.',
  }),
  permissions: choice(['owner', 'umask'], {
    default: 'owner',
    about:
      'Who may read the images and folders that the bridge makes there: their owner alone, or whom the umask of its process lets.',
  }),
  retention: section({
    max_age_secs: integer({
      default: 604_800,
      min: 0,
      about: 'The age at which an image is removed, in seconds; 0 keeps images for ever.',
    }),
  }),
  cache_bytes: integer({
    default: 134_217_728,
    about: 'Memory for verified images and thumbnails, in bytes.',
  }),
});

/** What must survive a restart. */
export const STATE = section({
  directory: text({
    default: './data/state',
    rule: PATH,
    about:
      'The folder of the SQLite database and its lock; a relative path starts at the working directory.',
  }),
});
