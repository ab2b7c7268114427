import * as v from 'valibot';
import { closedObject, nullable } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { coded } from '../schema/issues.ts';
import { ShortText } from '../schema/text.ts';
import { FilenamePrefix, OutputDirectory, OutputFilename } from './output-names.ts';

export const Transparency = closedObject({
  mode: documented(
    v.optional(v.picklist(['auto', 'native', 'chroma_key']), 'auto'),
    'auto takes the alpha of the provider where it has one, else cuts a flat background out.',
  ),
  key_color: documented(
    nullable(
      v.pipe(ShortText, v.regex(/^#[0-9A-Fa-f]{6}$/, coded('invalid_value', 'must be #RRGGBB'))),
    ),
    'The background to ask for and to cut out; left out, the bridge chooses.',
  ),
  transparent_threshold: documented(
    v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(254)), 12),
    'Up to this distance from the key colour a pixel becomes clear; below opaque_threshold.',
  ),
  opaque_threshold: documented(
    v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(255)), 96),
    'From this distance on a pixel stays opaque.',
  ),
  despill: documented(
    v.optional(v.boolean(), true),
    'Takes the key colour out of the edges of the subject.',
  ),
});

export const Output = closedObject({
  response_format: documented(
    v.optional(v.picklist(['b64_json', 'artifact', 'url', 'metadata']), 'b64_json'),
    'How images are delivered; metadata verifies and describes them, and keeps no bytes. Jobs always use artifact.',
  ),
  directory: documented(
    v.optional(OutputDirectory),
    'Below the artifact root, with a named token below the folder of its owner: up to 512 bytes of portable names. For artifact and url delivery.',
  ),
  filename: documented(
    v.optional(OutputFilename),
    'For one image; the extension may be left out. For artifact and url delivery.',
  ),
  filename_prefix: documented(
    v.optional(FilenamePrefix),
    'In place of a filename. For artifact and url delivery.',
  ),
  collision: documented(
    v.optional(v.picklist(['error', 'suffix']), 'error'),
    'What to do when the filename is taken: suffix tries -2, -3 and so on.',
  ),
  metadata: documented(
    v.optional(v.picklist(['none', 'sidecar', 'embedded', 'sidecar_and_embedded']), 'none'),
    'Where to write an ImageMetadataRecord: beside the image (artifact delivery only), inside it, or both.',
  ),
  transparency: v.optional(Transparency, {}),
});
export type Output = v.InferOutput<typeof Output>;
